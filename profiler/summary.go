package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
)

// Summary is what a trace says in numbers.
type Summary struct {
	Start, End int64
	Records    int
	Lost       uint64
	Cut        bool
	Lanes      []LaneSummary // in the trace's order
	Ops        []Total       // the longest first
	Lines      []Total       // the longest first
	Moved      int64         // bytes of all copies
}

// LaneSummary says how busy a lane was.
type LaneSummary struct {
	LaneInfo
	Records int
	Busy    int64 // nanoseconds in which at least one busy record ran
	Lost    uint64
}

// Total adds up the records of one op name at one place, or of one line.
type Total struct {
	Name  string
	Kind  Kind
	Where Where
	Place string // Where, for people
	Count int
	Time  int64 // nanoseconds, added over lanes
	Bytes int64

	moved, moving float64 // bytes and nanoseconds of tasks and copies, of which the rate is
}

// Summarize adds up the busy records of a trace.
func Summarize(t *Trace) Summary {
	s := Summary{Records: len(t.Records), Cut: t.Cut}
	s.Start, s.End = t.Span()
	until := make([]int64, len(t.Lanes))
	for i, l := range t.Lanes {
		s.Lanes = append(s.Lanes, LaneSummary{LaneInfo: l, Lost: t.Lost[i]})
		s.Lost += t.Lost[i]
	}
	type opKey struct {
		name  string
		kind  Kind
		where Where
	}
	ops, lines := map[opKey]*Total{}, map[Where]*Total{}
	for i := range t.Records { // sorted by start within a lane
		rec := &t.Records[i]
		lane := &s.Lanes[rec.Lane]
		lane.Records++
		if rec.Kind == Copy {
			s.Moved += rec.Bytes
		}
		if !rec.Kind.Info().Busy {
			continue
		}
		if from := max(rec.Start, until[rec.Lane]); rec.End > from {
			lane.Busy += rec.End - from
			until[rec.Lane] = rec.End
		}
		key := opKey{t.Name(rec), rec.Kind, t.WhereOf(rec)}
		place, parts := t.PlaceName(key.where), []LinePart(nil)
		if form := t.FormOf(rec.Op); form.Parts != "" {
			place, parts = t.PlacesName(form), form.Parts.Lines()
		}
		grow(ops, key, Total{Name: key.name, Kind: key.kind, Where: key.where, Place: place}, rec, 1)
		if len(parts) == 0 {
			parts = []LinePart{{key.where, 1}}
		}
		all := 0
		for _, p := range parts {
			all += p.Operations
		}
		for _, p := range parts { // a fused pass is that of all its lines
			if p.Line != 0 {
				name := t.PlaceName(p.Where)
				grow(lines, p.Where, Total{Name: name, Where: p.Where, Place: name}, rec, float64(p.Operations)/float64(all))
			}
		}
	}
	s.Ops, s.Lines = longest(ops), longest(lines)
	return s
}

func grow[K comparable](totals map[K]*Total, key K, fresh Total, rec *Record, part float64) {
	sum := totals[key]
	if sum == nil {
		sum = &fresh
		totals[key] = sum
	}
	sum.Count++
	sum.Time += int64(part * float64(rec.End-rec.Start))
	sum.Bytes += int64(part * float64(rec.Bytes))
	if rec.Kind == Run || rec.Kind == Copy {
		sum.moved += part * float64(rec.Bytes)
		sum.moving += part * float64(rec.End-rec.Start)
	}
}

func longest[K comparable](totals map[K]*Total) []Total {
	rows := make([]Total, 0, len(totals))
	for _, sum := range totals {
		rows = append(rows, *sum)
	}
	slices.SortFunc(rows, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Where.Source, b.Where.Source),
			cmp.Compare(a.Where.Line, b.Where.Line), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return rows
}

// shownTotals is how many rows String shows of each table.
const shownTotals = 12

// String returns the tables as text.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records over %s", s.Records, units.Duration(s.End-s.Start))
	if s.Moved > 0 {
		fmt.Fprintf(&b, ", %s moved", units.Size(s.Moved))
	}
	if s.Lost > 0 {
		fmt.Fprintf(&b, ", LOST %d older records (the ring was full)", s.Lost)
	}
	if s.Cut {
		b.WriteString(", the file ends early")
	}
	b.WriteString("\n")
	span := max(s.End-s.Start, 1)
	rows := [][]string{{"lane", "busy", "", "records"}}
	for _, l := range s.Lanes {
		if l.Records > 0 {
			rows = append(rows, []string{l.Name, units.Duration(l.Busy), fmt.Sprintf("%.0f%%", 100*float64(l.Busy)/float64(span)), fmt.Sprint(l.Records)})
		}
	}
	writeTable(&b, rows)
	writeTotals(&b, "op", s.Ops, true)
	writeTotals(&b, "line", s.Lines, false)
	return b.String()
}

func writeTotals(b *strings.Builder, title string, totals []Total, place bool) {
	rows := [][]string{{title, "time", "count", "bytes", "rate"}}
	for _, sum := range totals[:min(len(totals), shownTotals)] {
		name := sum.Name
		if place && sum.Place != "" {
			name += " at " + sum.Place
		}
		rows = append(rows, []string{name, units.Duration(sum.Time), fmt.Sprint(sum.Count), units.Size(sum.Bytes), units.Rate(int64(sum.moved+0.5), int64(sum.moving+0.5))})
	}
	if len(rows) > 1 {
		b.WriteString("\n")
		writeTable(b, rows)
	}
	if more := len(totals) - shownTotals; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
}

// writeTable aligns columns, the first to the left and the others to the right.
func writeTable(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		fmt.Fprintf(b, "%-*s", width[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(b, "  %*s", width[i+1], cell)
		}
		b.WriteString("\n")
	}
}
