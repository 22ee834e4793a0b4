package label

import (
	"strings"

	"weft/profiler"
)

// Titles say what records are called: an operation by the text of its line, as people know it, and what has none by its
// own name.
type Titles struct {
	t     *profiler.Trace
	lines map[profiler.Where]string
}

func NewTitles(t *profiler.Trace) *Titles { return &Titles{t, map[profiler.Where]string{}} }

func (x *Titles) Of(rec *profiler.Record) string {
	if rec.Kind == profiler.Run {
		w := x.t.WhereOf(rec)
		line, known := x.lines[w]
		if !known {
			line = OfLine(x.t.LineText(w))
			x.lines[w] = line
		}
		if line != "" {
			return line
		}
	}
	return x.t.Name(rec)
}

// OfLine is a line of a program as the name of what it does: without what only indents and explains it.
func OfLine(line string) string {
	if at := strings.Index(line, "  #"); at >= 0 {
		line = line[:at]
	}
	return OneLine(strings.TrimSpace(line), 120)
}
