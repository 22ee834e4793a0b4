package viz

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"weft/internal/datadriven"
	"weft/profiler"
)

// TestLines makes the report of a trace. The input is the cell's text, a line ---, the operations as
// "ID line [parts' lines] [apart: why] [whole: why]", a line ---, and the trace.
func TestLines(t *testing.T) {
	datadriven.Walk(t, "testdata/lines", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		return func(t *testing.T, c *datadriven.Case) string {
			parts := strings.Split(c.Input, "---\n")
			if len(parts) != 3 {
				t.Fatalf("%s: got %d parts, wanted text, operations and trace", c.Pos, len(parts))
			}
			trace, err := profiler.Parse(strings.NewReader(parts[2]))
			if err != nil {
				t.Fatal(err)
			}
			o := LineOptions{Cell: "In[1]", Text: parts[0], Source: 1, End: int64(c.Int("wall", 0)), Limit: float64(c.Int("limit", 0))}
			for row := range strings.Lines(parts[1]) {
				o.Ops = append(o.Ops, parseLineOp(t, strings.TrimSpace(row)))
			}
			r := NewLineReport(trace, o)
			wellFormed(t, r)
			return r.String()
		}
	})
}

func parseLineOp(t *testing.T, row string) LineOp {
	row, whole, _ := strings.Cut(row, " whole: ")
	row, apart, _ := strings.Cut(row, " apart: ")
	words := strings.Fields(row)
	op := LineOp{Apart: apart, Whole: whole, Where: profiler.Where{Source: 1}}
	fmt.Sscan(words[0], &op.ID)
	fmt.Sscan(words[1], &op.Where.Line)
	for _, word := range words[2:] {
		part := LinePart{Where: profiler.Where{Source: 1}}
		if _, err := fmt.Sscan(word, &part.Where.Line); err != nil {
			t.Fatal(err)
		}
		op.Parts = append(op.Parts, part)
	}
	return op
}

// wellFormed checks that nothing of the cell's text ends up as markup.
func wellFormed(t *testing.T, r *LineReport) {
	t.Helper()
	for name, text := range map[string]string{"HTML": r.HTML(), "SVG": r.SVG()} {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("the %s is not well-formed: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "img") {
				t.Errorf("the %s has an element %s", name, e.Name.Local)
			}
		}
	}
}
