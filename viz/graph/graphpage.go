package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strconv"
	"strings"
)

// The interactive page. graphs.js is built from page/src by npm run build; a test proves it current.
var (
	//go:embed page/dist/graphs.js
	graphsJS string
	//go:embed page/page.css
	graphsCSS string
)

// pageGraph is Data of page/src/main.ts.
type pageGraph struct {
	Outline  *Outline `json:"outline"`
	Embedded bool     `json:"embedded"`
}

// HTML returns the graph as one file in which nodes open and close. It needs nothing else: no network, no other file.
// An embedded one stands in a frame of another page, which the plain wheel scrolls until the graph is clicked.
func (o *Outline) HTML(embedded bool, links ...Link) []byte {
	text, err := json.Marshal(pageGraph{o, embedded})
	if err != nil {
		panic(fmt.Sprintf("BUG: inv 2: the graph has no JSON form: %v", err))
	}
	var b bytes.Buffer
	var anchors strings.Builder
	for _, link := range links {
		fmt.Fprintf(&anchors, `<a href="%s">%s</a>`, html.EscapeString(link.Href), html.EscapeString(link.Text))
	}
	fmt.Fprintf(&b, PageHead, "", html.EscapeString(o.Title), graphsCSS+classCSS())
	fmt.Fprintf(&b, graphBody, anchors.String())
	b.WriteString("<script type=\"application/octet-stream\" id=\"data\">")
	packed := base64.NewEncoder(base64.StdEncoding, &b)
	zip := gzip.NewWriter(packed)
	zip.Write(text) // into memory: cannot fail
	zip.Close()
	packed.Close()
	fmt.Fprintf(&b, "</script>\n<script>%s</script>\n</body>\n</html>\n", graphsJS)
	return b.Bytes()
}

// graphBody has the page up to its data.
const graphBody = `<header><h1 id="title"></h1><span id="note"></span><nav id="links">%s</nav>
<div id="tools"><span id="found"></span><span id="count"></span><input id="search" type="search" placeholder="search: name, line, o12, t45" aria-label="search"><button id="details" type="button" title="what the runtime calls things" hidden>details</button><button id="reset" type="button" hidden>as at first</button><button id="fit" type="button">fit</button></div></header>
<main><svg id="canvas" tabindex="0" role="img" aria-label="graph"><g id="view"></g></svg><button id="rest" type="button" hidden></button><aside id="side" hidden><div id="chosen"></div><div id="source"></div></aside></main>
<div id="hint"></div>
<div id="tip" hidden></div>
`

// classCSS colors the classes of nodes, for light and for dark pages.
func classCSS() string {
	var light, dark strings.Builder
	for _, class := range sortedKeys(nodeStyles) {
		s := nodeStyles[class]
		fmt.Fprintf(&light, ".%s .shape{fill:%s;stroke:%s}\n", class, s.fill, s.border)
		fmt.Fprintf(&dark, ".%s .shape{fill:%s}", class, darkFills[class])
	}
	return light.String() + "@media (prefers-color-scheme: dark){" + dark.String() + "}\n"
}

// Bundle returns a graph as the data of a Jupyter display: MIME type -> content. The richest form that a front end
// shows wins: the page in a frame that may run scripts and nothing else, the still picture, or a line of text.
func Bundle(ctx context.Context, o *Outline, g *Graph) (map[string]string, error) {
	svg, err := g.SVG(ctx)
	if err != nil {
		return nil, err
	}
	high := min(max(stillHeight(svg)+frameAround, frameLowest), frameHighest)
	return map[string]string{"text/plain": g.Text(), "image/svg+xml": string(svg), "text/html": Framed(o.Title, int(high), o.HTML(true), svg)}, nil
}

// Measures of the frame, in pixels: what stands around the graph, and within which bounds it is as high as the graph.
const (
	frameAround  = 90
	frameLowest  = 300
	frameHighest = 720
)

// stillHeight reads the height in a still picture's head.
func stillHeight(svg []byte) float64 {
	_, rest, _ := bytes.Cut(svg, []byte(` height="`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	high, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return frameHighest
	}
	return high
}

// Text is the graph in one line.
func (g *Graph) Text() string {
	return join("; ", fmt.Sprintf("%s: %d nodes, %d edges", g.Title, len(g.Nodes), len(g.Edges)), g.Note)
}
