package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parts says of which lines a fused op is made, and how many of its operations each line asked for. It is text so that
// forms can be compared: "1:2 1:4x3" is one operation of line 2 of source 1, and three of line 4. An op that is a
// single operation has none.
type Parts string

// LinePart is a line with so many of an op's operations.
type LinePart struct {
	Where
	Operations int
}

// maxPartLines bounds the lines of an op that are told; operations of further ones are not counted.
const maxPartLines = 256

// text writes lines as parts.
func text(list []LinePart) Parts {
	var out []byte
	for i, p := range list {
		if i > 0 {
			out = append(out, ' ')
		}
		out = fmt.Appendf(out, "%d:%d", p.Source, p.Line)
		if p.Operations > 1 {
			out = fmt.Appendf(out, "x%d", p.Operations)
		}
	}
	return Parts(out)
}

// Shift returns the parts of a trace whose sources are numbered from first on. Source 0 stays unknown.
func (p Parts) Shift(first uint32) Parts {
	list := p.Lines()
	for i := range list {
		if list[i].Source != 0 {
			list[i].Source += first
		}
	}
	return text(list)
}

// PartsOf counts operations by the line that asked for each.
func PartsOf(lines []Where) Parts {
	var list []LinePart
	for _, w := range lines {
		w.Line = max(w.Line, 0)
		at := slices.IndexFunc(list, func(p LinePart) bool { return p.Where == w })
		if at < 0 {
			if len(list) == maxPartLines {
				continue
			}
			at = len(list)
			list = append(list, LinePart{Where: w})
		}
		list[at].Operations++
	}
	slices.SortFunc(list, func(a, b LinePart) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	return text(list)
}

// Lines returns the lines in the order of the program.
func (p Parts) Lines() []LinePart {
	list, err := p.parse()
	if err != nil {
		return nil // Trace.Check has refused it
	}
	return list
}

// parse reads the text, and takes nothing on trust: it may come from a file.
func (p Parts) parse() ([]LinePart, error) {
	if p == "" {
		return nil, nil
	}
	var list []LinePart
	for word := range strings.SplitSeq(string(p), " ") {
		place, times, several := strings.Cut(word, "x")
		if !several {
			times = "1"
		}
		source, line, ok := strings.Cut(place, ":")
		s, err1 := strconv.ParseUint(source, 10, 32)
		l, err2 := strconv.ParseUint(line, 10, 31)
		n, err3 := strconv.ParseUint(times, 10, 31)
		if !ok || cmp.Or(err1, err2, err3) != nil || n == 0 {
			return nil, fmt.Errorf("the parts %.40q, wanted SOURCE:LINE or SOURCE:LINExN, one after the other", string(p))
		}
		if len(list) == maxPartLines {
			return nil, fmt.Errorf("an op of more than %d lines", maxPartLines)
		}
		list = append(list, LinePart{Where{uint32(s), int32(l)}, int(n)})
	}
	return list, nil
}

// PlacesName names the lines of an op as people do: "In[2] lines 2-5, 9", and that of a single operation "In[2] line
// 2".
func (t *Trace) PlacesName(f *Form) string {
	if f.Parts == "" {
		return t.PlaceName(f.Where)
	}
	var lines []Where
	for _, part := range f.Parts.Lines() {
		lines = append(lines, part.Where)
	}
	return t.LinesName(lines, 0)
}

// LinesName names lines, which stand in the order of sources and lines. Those of the source beside, which the reader
// has before the eyes, have no source's name.
func (t *Trace) LinesName(lines []Where, beside uint32) string {
	var out []string
	for i := 0; i < len(lines); {
		source, first := lines[i].Source, len(out)
		for i < len(lines) && lines[i].Source == source {
			from := lines[i].Line
			to := from
			for i++; i < len(lines) && lines[i].Source == source && lines[i].Line == to+1; i++ {
				to++
			}
			if from == to {
				out = append(out, strconv.Itoa(int(from)))
			} else {
				out = append(out, fmt.Sprintf("%d-%d", from, to))
			}
		}
		of := "line "
		if len(out)-first > 1 || strings.Contains(out[first], "-") {
			of = "lines "
		}
		if name := t.SourceName(source); name != "" && source != beside {
			of = name + " " + of
		}
		out[first] = of + out[first]
	}
	return strings.Join(out, ", ")
}
