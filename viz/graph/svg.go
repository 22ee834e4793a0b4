package graph

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
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
// stand inside HTML, with centered labels and with colors for dark pages.
func styleSVG(svg []byte) []byte {
	root := svgRoot.FindIndex(svg)
	if root == nil {
		return svg
	}
	return bytes.Join([][]byte{svg[root[0]:root[1]], []byte(darkCSS), centerLabels(svg[root[1]:])}, []byte("\n"))
}

var (
	nodeGroup  = regexp.MustCompile(`(?s)<g id="[^"]*" class="node[^"]*">.*?</g>`)
	nodeShape  = regexp.MustCompile(`<(?:path|polygon|ellipse)[^>]*? (?:d|points|cx)="([^"]*)"`)
	coordinate = regexp.MustCompile(`(-?[0-9.]+)(?:,-?[0-9.]+)?`)
	lineStart  = regexp.MustCompile(`<text text-anchor="start" x="[^"]*" y="([^"]*)"`)
)

// centerLabels puts each line of a node's label into the middle of the node. Graphviz says where a line starts,
// by the widths of Helvetica's letters; in the wider font that stands in for it, lines would lean to the right.
func centerLabels(svg []byte) []byte {
	return nodeGroup.ReplaceAllFunc(svg, func(node []byte) []byte {
		middle, ok := middleOf(node)
		if !ok {
			return node
		}
		pieces := map[string]int{} // by height: a line in several fonts has several, which follow one another
		for _, m := range lineStart.FindAllSubmatch(node, -1) {
			pieces[string(m[1])]++
		}
		return lineStart.ReplaceAllFunc(node, func(text []byte) []byte {
			y := lineStart.FindSubmatch(text)[1]
			if pieces[string(y)] > 1 {
				return text
			}
			return fmt.Appendf(nil, `<text text-anchor="middle" x="%.2f" y="%s"`, middle, y)
		})
	})
}

// middleOf returns the horizontal middle of a node's shape.
func middleOf(node []byte) (x float64, ok bool) {
	shape := nodeShape.FindSubmatch(node)
	if shape == nil {
		return 0, false
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range coordinate.FindAllSubmatch(shape[1], -1) {
		x, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return 0, false
		}
		low, high = min(low, x), max(high, x)
	}
	return (low + high) / 2, low <= high
}
