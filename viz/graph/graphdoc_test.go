package graph

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// Whatever a profile says is a graph is refused, or can be shown in all forms: none fails, and what is text in it
// stays text. The corpus in testdata/fuzz has graphs of runs.
func FuzzParseGraph(f *testing.F) {
	f.Add(`{"shown":{"nodes":[{"loop":-1}]},"outline":{"parts":[{"in":-1,"name":"</script><script>"}],"grains":[[0]],"flows":[]}}`)
	f.Add(`{"shown":{"nodes":[{"loop":0},{"loop":0}],"edges":[{"from":1,"to":1}],"loops":[{"parent":-1,"times":3}]},"outline":{"parts":[{"in":-1,"w":9e4,"h":1}],"grains":[[0,-1]],"flows":[{"from":0,"to":0}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		outline, g, err := ParseGraph(text)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		svg, err := g.SVG(ctx)
		if err != nil {
			t.Fatalf("it cannot be drawn: %v", err)
		}
		for reader := xml.NewDecoder(bytes.NewReader(svg)); ; {
			token, err := reader.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("the picture is no XML: %v", err)
			}
			if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "foreignObject") {
				t.Fatalf("the picture has an element %s", start.Name.Local)
			}
		}
		if dot := g.DOT(); !strings.HasPrefix(dot, "digraph") || g.Text() == "" {
			t.Fatalf("the text forms are %.100q and %.100q", dot, g.Text())
		}
		page := string(outline.HTML(true))
		if n := strings.Count(page, "<script"); n != 2 || strings.Count(page, "</script>") != n {
			t.Fatalf("the page has %d scripts", n)
		}
		again, shown, err := ParseGraph(Document(outline, g))
		if err != nil || Document(again, shown) != Document(outline, g) {
			t.Fatalf("it does not read back: %v", err)
		}
	})
}
