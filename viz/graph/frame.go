package graph

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
)

// themes makes pictures light or dark as the page around them is, whatever the system prefers: a frame or an image of a
// color scheme sees it as the reader's preference. JupyterLab and Notebook say theirs in an attribute, VS Code in a
// class.
const themes = `[data-jp-theme-light="true"] .weft-picture,.vscode-light .weft-picture{color-scheme:light}` +
	`[data-jp-theme-light="false"] .weft-picture,.vscode-dark .weft-picture{color-scheme:dark}`

// ThemedPicture returns a picture as an image in a notebook, light or dark as the notebook is.
func ThemedPicture(about, svg string) string {
	return fmt.Sprintf(`<style>`+themes+`</style><img class="weft-picture" style="max-width:100%%" alt="%s" src="data:image/svg+xml;base64,%s">`,
		html.EscapeString(about), base64.StdEncoding.EncodeToString([]byte(svg)))
}

// Framed returns a page in a frame of its own, so that the styles and names of several in one notebook do not mix, and
// so many pixels high. Front ends that trust no notebook, GitHub's and JupyterLab's of another user's, show text/html
// without its frames and styles rather than the picture: for them the still picture stands before the frame, hidden by
// a style.
func Framed(title string, high int, page, svg []byte) string {
	// In an attribute only these two mean something; more escapes would make notebooks larger.
	page = bytes.ReplaceAll(page, []byte("&"), []byte("&amp;"))
	page = bytes.ReplaceAll(page, []byte(`"`), []byte("&quot;"))
	title = html.EscapeString(title)
	return fmt.Sprintf(`<style>.weft-still{display:none!important}`+themes+`</style><img class="weft-still" alt="%s" src="data:image/svg+xml;base64,%s">`+
		`<iframe class="weft-picture" sandbox="allow-scripts" title="%s" style="width:100%%;height:%dpx;border:1px solid #8884;border-radius:6px" srcdoc="%s"></iframe>`,
		title, base64.StdEncoding.EncodeToString(svg), title, high, page)
}

// The margins of a still picture of a time, in pixels: what its rows are called stands on the left, the scale above.
const (
	PictureGutter = 120
	PictureAxis   = 22
)

// PictureCSS makes a picture follow the reader's light or dark setting.
const PictureCSS = "<style>text{font:11px Helvetica,Arial,sans-serif;fill:#1c2430}.faint{fill:#66707f}.back{fill:#fff}" +
	".band{fill:#f3f5f8}.tick{stroke:#d8dde4}.on{fill:#fff}@media (prefers-color-scheme:dark){text{fill:#e2e7ef}.faint{fill:#939dac}" +
	".back{fill:#14181f}.band{fill:#1b212b}.tick{stroke:#333b47}.on{fill:#fff}}</style>\n"
