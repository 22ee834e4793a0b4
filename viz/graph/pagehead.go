package graph

// Link is a link in the page's head. Its address is relative to the page.
type Link struct {
	Text string `json:"text"`
	Href string `json:"href"`
}

// PageHead is the head of every page: what it may connect to besides, its title and its style. The policy lets it load
// nothing from anywhere.
const PageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; %sbase-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
%s</style>
</head>
<body>
`
