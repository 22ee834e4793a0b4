package detail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"weft/profiler"
)

// Query is what a search asks for. Its text form is words, all of which must hold:
//
//	t45 o12         a task, an op
//	>10ms <2us      longer, shorter
//	kind:copy       a kind of records
//	on:gpu0         a lane or a device
//	line:7          a line of any source
//	matmul          anything else: a part of a name, a place, a shape, a program, a source line, or the name of a lane
type Query struct {
	tasks, ops       []uint32
	shortest         int64
	longest          int64 // 0 is no limit
	kinds, on, words []string
	lines            []int32
}

// maxWords bounds a query, so that no text costs more than its length.
const maxWords = 32

// ParseQuery reads the text form. An empty text is nil, which finds nothing.
func ParseQuery(text string) (*Query, error) {
	fields := strings.FieldsFunc(strings.ToLower(text), unicode.IsSpace)
	if len(fields) == 0 {
		return nil, nil
	}
	if len(fields) > maxWords {
		return nil, fmt.Errorf("a search of %d words, wanted at most %d", len(fields), maxWords)
	}
	q := &Query{}
	for _, f := range fields {
		if err := q.word(f); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func (q *Query) word(f string) error {
	number := func(prefix string) (uint32, bool) {
		rest, ok := strings.CutPrefix(f, prefix)
		n, err := strconv.ParseUint(rest, 10, 32)
		return uint32(n), ok && err == nil
	}
	if n, ok := number("t"); ok {
		q.tasks = append(q.tasks, n)
		return nil
	}
	if n, ok := number("o"); ok {
		q.ops = append(q.ops, n)
		return nil
	}
	if n, ok := number("line:"); ok {
		q.lines = append(q.lines, int32(min(n, 1<<31-1)))
		return nil
	}
	if rest, ok := strings.CutPrefix(f, "kind:"); ok {
		q.kinds = append(q.kinds, rest)
		return nil
	}
	if rest, ok := strings.CutPrefix(f, "on:"); ok {
		q.on = append(q.on, rest)
		return nil
	}
	if f[0] == '>' || f[0] == '<' {
		ns, err := length(f[1:])
		if err != nil {
			return err
		}
		if f[0] == '>' {
			q.shortest = max(q.shortest, ns)
		} else if q.longest == 0 || ns < q.longest {
			q.longest = ns
		}
		return nil
	}
	q.words = append(q.words, f)
	return nil
}

// units are those of durations.
var units = []struct {
	name string
	ns   float64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

func length(text string) (int64, error) {
	for _, u := range units {
		rest, ok := strings.CutSuffix(text, u.name)
		v, err := strconv.ParseFloat(rest, 64)
		if ok && err == nil && v >= 0 && v*u.ns < 1<<53 {
			return max(int64(v*u.ns), 1), nil
		}
	}
	return 0, fmt.Errorf("the length %q; wanted a number and ns, us, ms or s, such as >10ms", text)
}

// filter is a query for one snapshot: which groups and lanes meet which of its words.
type filter struct {
	q      *Query
	names  names
	all    uint32   // one bit for each word
	groups []uint32 // bits of the words that a group meets
	lanes  []uint32
}

func newFilter(n names, q *Query) *filter {
	f := &filter{q: q, names: n, all: 1<<len(q.words) - 1}
	for _, l := range n.tables.Lanes {
		f.lanes = append(f.lanes, f.laneBits(l))
	}
	for _, g := range n.groups {
		f.groups = append(f.groups, f.groupBits(g))
	}
	return f
}

// never is the mark of a group or lane of which no record is meant, whatever the words.
const never = 1 << 31

func (f *filter) laneBits(l profiler.LaneInfo) uint32 {
	var bits uint32
	name, device := strings.ToLower(l.Name), strings.ToLower(l.Device)
	for _, on := range f.q.on {
		if name != on && device != on && strings.ToLower(l.Kind) != on {
			return never
		}
	}
	for k, word := range f.q.words {
		if name == word || device == word {
			bits |= 1 << k
		}
	}
	return bits
}

func (f *filter) groupBits(g Group) uint32 {
	where := f.names.where(g)
	for _, kind := range f.q.kinds {
		if g.Kind.String() != kind {
			return never
		}
	}
	parts := f.names.tables.Forms[g.Form].Parts.Lines()
	for _, line := range f.q.lines {
		if where.Line != line && !slices.ContainsFunc(parts, func(p profiler.LinePart) bool { return p.Line == line }) {
			return never
		}
	}
	if len(f.q.words) == 0 {
		return 0
	}
	form := &f.names.tables.Forms[g.Form]
	label := &f.names.tables.Labels[g.Label]
	texts := []string{label.Detail,
		f.names.name(g), form.Name, g.Kind.String(), f.names.tables.PlaceName(where), form.Shape, form.Program, form.Kind, f.names.lineText(where),
	}
	var bits uint32
	for k, word := range f.q.words {
		for _, text := range texts {
			if strings.Contains(strings.ToLower(text), word) {
				bits |= 1 << k
				break
			}
		}
	}
	return bits
}

// group reports whether records of a group on a lane can match.
func (f *filter) group(lane int, group uint32) bool {
	bits := f.groups[group] | f.lanes[lane]
	return bits&never == 0 && bits&f.all == f.all
}

// single reports whether the group alone decides.
func (f *filter) single() bool {
	return len(f.q.tasks)+len(f.q.ops) == 0 && f.q.shortest == 0 && f.q.longest == 0
}

// chunk reports whether a chunk may have a match.
func (f *filter) chunk(lane int, c *chunk) bool {
	for _, id := range f.q.tasks {
		if id < c.sum.minTask || id > c.sum.maxTask {
			return false
		}
	}
	for _, id := range f.q.ops {
		if id < c.sum.minOp || id > c.sum.maxOp {
			return false
		}
	}
	if c.sum.longest < f.q.shortest {
		return false
	}
	for _, row := range c.sum.rows {
		if f.group(lane, row.group) {
			return true
		}
	}
	return false
}

// record reports whether a record matches.
func (f *filter) record(lane int, rec *profiler.Record, group uint32) bool {
	if !f.group(lane, group) {
		return false
	}
	for _, id := range f.q.tasks {
		if rec.Task != id {
			return false
		}
	}
	for _, id := range f.q.ops {
		if rec.Op != id {
			return false
		}
	}
	ns := rec.End - rec.Start
	return ns >= f.q.shortest && (f.q.longest == 0 || ns <= f.q.longest)
}
