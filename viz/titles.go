package viz

import (
	"strings"

	"weft/profiler"
)

// titles say what records are called: an operation by the text of its line, as people know it, and what has none by its own name.
type titles struct {
	t     *profiler.Trace
	lines map[profiler.Where]string
}

func newTitles(t *profiler.Trace) *titles { return &titles{t, map[profiler.Where]string{}} }

func (x *titles) of(rec *profiler.Record) string {
	if rec.Kind == profiler.Run {
		w := x.t.WhereOf(rec)
		line, known := x.lines[w]
		if !known {
			line = LineTitle(x.t.LineText(w))
			x.lines[w] = line
		}
		if line != "" {
			return line
		}
	}
	return x.t.Name(rec)
}

// LineTitle is a line of a program as the name of what it does: without what only indents and explains it.
func LineTitle(line string) string {
	if at := strings.Index(line, "  #"); at >= 0 {
		line = line[:at]
	}
	return oneLine(strings.TrimSpace(line), 120)
}
