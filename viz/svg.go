package viz

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// darkCSS recolors a graph on a page or a system that is dark. It works where the picture is an
// <img> too, which is how notebooks show it.
var darkCSS = buildDarkCSS()

// darkFills are the fills of nodeStyles on a dark page, darker variants of the same hues.
var darkFills = map[string]string{
	"op-map":       "#1e3a5f",
	"op-reduce":    "#3b2a63",
	"op-contract":  "#30306b",
	"op-scan":      "#164450",
	"op-move":      "#334155",
	"op-fill":      "#14432a",
	"op-call":      "#4d3d0d",
	"op-fallback":  "#641d1d",
	"op-several":   "#334155",
	"task-run":     "#1e3a5f",
	"task-copy":    "#5c330f",
	"task-free":    "#1f2937",
	"store-input":  "#1f2937",
	"store-output": "#1f2937",
	"rest":         "#1f2937",
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func buildDarkCSS() string {
	var b strings.Builder
	b.WriteString("<style>@media (prefers-color-scheme: dark){.node text{fill:#e8edf5}")
	for _, class := range sortedKeys(darkFills) {
		b.WriteString(".node." + class + " path,.node." + class + " polygon,.node." + class + " ellipse{fill:" + darkFills[class] + "}")
	}
	b.WriteString("}</style>")
	return b.String()
}

var svgRoot = regexp.MustCompile(`<svg[^>]*>`)

// styleSVG makes Graphviz's picture fit for a notebook and a page: without a prolog, so that it can
// stand inside HTML, and with colors for dark pages.
func styleSVG(svg []byte) []byte {
	root := svgRoot.FindIndex(svg)
	if root == nil {
		return svg
	}
	return bytes.Join([][]byte{svg[root[0]:root[1]], []byte(darkCSS), svg[root[1]:]}, []byte("\n"))
}
