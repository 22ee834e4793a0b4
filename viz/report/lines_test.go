package report

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
// "ID line [parts' lines] [apart: why] [whole: why] [bytes: read written]", what the thread did as "sample start end
// line kind asleep name", and what was counted as "count line operations reads writes values"; a line ---, and the
// trace.
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
			o := LineOptions{Cell: "In[1]", Text: parts[0], Source: 1, End: int64(c.Int("wall", 0)), Limit: float64(c.Int("limit", 0)), Caches: int64(c.Int("caches", 0)), Others: int64(c.Int("others", 0))}
			for row := range strings.Lines(parts[1]) {
				switch row = strings.TrimSpace(row); {
				case strings.HasPrefix(row, "sample "):
					o.Samples = append(o.Samples, parseSample(t, row))
				case strings.HasPrefix(row, "count "):
					n := LineCount{Where: profiler.Where{Source: 1}}
					fmt.Sscanf(row, "count %d %d %d %d %d", &n.Where.Line, &n.Operations, &n.Reads, &n.Writes, &n.Values)
					o.Counted = append(o.Counted, n)
				default:
					op, fused := parseLineOp(t, row)
					o.Ops = append(o.Ops, op)
					if at := trace.FormOf(op.ID); fused != "" && at != &trace.Forms[0] {
						at.Parts = fused
					}
				}
			}
			r := NewLineReport(trace, o)
			wellFormed(t, r)
			addsUp(t, r)
			return r.String()
		}
	})
}

func parseSample(t *testing.T, row string) Sample {
	s := Sample{Where: profiler.Where{Source: 1}}
	kind := ""
	n, _ := fmt.Sscanf(row, "sample %d %d %d %s %d %s", &s.Start, &s.End, &s.Where.Line, &kind, &s.Asleep, &s.Name)
	for k, name := range spendingNames {
		if name == kind {
			s.Does = Spending(k)
		}
	}
	if n < 4 {
		t.Fatalf("got %q, wanted sample start end line kind [asleep [name]]", row)
	}
	return s
}

// addsUp checks that the times of the lines are the whole's, but for a nanosecond of rounding for each.
func addsUp(t *testing.T, r *LineReport) {
	t.Helper()
	sum := int64(0)
	for _, l := range r.all() {
		sum += l.Time
	}
	if off := r.Wall - sum; off < 0 || off > int64(10*len(r.all())) {
		t.Errorf("the lines take %d of %d ns", sum, r.Wall)
	}
}

func parseLineOp(t *testing.T, row string) (LineOp, profiler.Parts) {
	row, bytes, _ := strings.Cut(row, " bytes: ")
	row, whole, _ := strings.Cut(row, " whole: ")
	row, apart, _ := strings.Cut(row, " apart: ")
	words := strings.Fields(row)
	op := LineOp{Apart: apart, Whole: whole, Where: profiler.Where{Source: 1}}
	var lines []profiler.Where
	fmt.Sscan(words[0], &op.ID)
	fmt.Sscan(words[1], &op.Where.Line)
	fmt.Sscan(bytes, &op.Reads, &op.Writes)
	for _, word := range words[2:] {
		w := profiler.Where{Source: 1}
		if _, err := fmt.Sscan(word, &w.Line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, w)
	}
	return op, profiler.PartsOf(lines)
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
