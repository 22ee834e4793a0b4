package viz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"

	"weft/profiler"
)

// TimelineBundle returns a timeline as the data of a Jupyter display: MIME type -> content. The
// richest form that a front end shows wins: the viewer in a frame that may run scripts and nothing
// else, the still picture, or the summary as text.
func TimelineBundle(t *profiler.Trace, o TimelineOptions) map[string]string {
	o.Embedded = true
	page, svg := TimelineHTML(t, o), TimelineSVG(t, o)
	return map[string]string{
		"text/plain": profiler.Summarize(t).String(), "image/svg+xml": string(svg),
		"text/html": framed(o.Title, frameHeight(t), page, svg),
	}
}

// themes makes pictures light or dark as the page around them is, whatever the system prefers: a frame or an image of a color scheme
// sees it as the reader's preference. JupyterLab and Notebook say theirs in an attribute, VS Code in a class.
const themes = `[data-jp-theme-light="true"] .weft-picture,.vscode-light .weft-picture{color-scheme:light}` +
	`[data-jp-theme-light="false"] .weft-picture,.vscode-dark .weft-picture{color-scheme:dark}`

// ThemedPicture returns a picture as an image in a notebook, light or dark as the notebook is.
func ThemedPicture(about, svg string) string {
	return fmt.Sprintf(`<style>`+themes+`</style><img class="weft-picture" style="max-width:100%%" alt="%s" src="data:image/svg+xml;base64,%s">`,
		html.EscapeString(about), base64.StdEncoding.EncodeToString([]byte(svg)))
}

// framed returns a page in a frame of its own, so that the styles and names of several in one notebook do not mix, and so
// many pixels high. Front ends that trust no notebook, GitHub's and JupyterLab's of somebody else's, show text/html without
// its frames and styles rather than the picture: for them the still picture stands before the frame, hidden by a style.
func framed(title string, high int, page, svg []byte) string {
	// In an attribute only these two mean something; more escapes would make notebooks larger.
	page = bytes.ReplaceAll(page, []byte("&"), []byte("&amp;"))
	page = bytes.ReplaceAll(page, []byte(`"`), []byte("&quot;"))
	title = html.EscapeString(title)
	return fmt.Sprintf(`<style>.weft-still{display:none!important}`+themes+`</style><img class="weft-still" alt="%s" src="data:image/svg+xml;base64,%s">`+
		`<iframe class="weft-picture" sandbox="allow-scripts" title="%s" style="width:100%%;height:%dpx;border:1px solid #8884;border-radius:6px" srcdoc="%s"></iframe>`,
		title, base64.StdEncoding.EncodeToString(svg), title, high, page)
}

// frameHeight leaves room for the lanes and the first rows of the tables.
func frameHeight(t *profiler.Trace) int {
	rows := map[uint32]bool{}
	drawn := profiler.Rows(t)
	for i := range t.Records {
		rows[uint32(t.Records[i].Lane)<<16|uint32(drawn[i])] = true
	}
	return min(340+22*len(rows), 720)
}
