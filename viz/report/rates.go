package report

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/units"
	"weft/profiler"
)

// lineCosts are the lines that cost something.
type lineCosts map[profiler.Where]*LineCost

func (c lineCosts) at(w profiler.Where) *LineCost {
	if c[w] == nil {
		c[w] = &LineCost{}
	}
	return c[w]
}

// costsOf adds up what the tasks and copies of a trace cost, by line. Profiles by lines, timelines and graphs have the
// bytes and the rates of a line from here.
func costsOf(t *profiler.Trace, ops []LineOp) (lineCosts, *passTable) {
	costs, passes := lineCosts{}, newPassTable(t)
	for i := range t.Records {
		if rec := &t.Records[i]; rec.Kind == profiler.Run || rec.Kind == profiler.Copy {
			passes.add(rec)
		}
	}
	passes.share(costs)
	for i := range ops {
		addOp(t, &ops[i], costs, passes)
	}
	for w, line := range costs {
		slices.SortFunc(line.joins, func(a, b profiler.Where) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
		})
		line.Joins = t.LinesName(line.joins, w.Source)
	}
	return costs, passes
}

// addOp adds what is known of a planned operation to the lines of its parts.
func addOp(t *profiler.Trace, op *LineOp, costs lineCosts, passes *passTable) {
	p := passes.ofOp(op.ID, op.Where)
	for _, part := range p.lines {
		line := costs.at(part.Where)
		line.Passes++
		line.Operations += part.Operations
		line.reads, line.writes, line.largest = line.reads+op.Reads, line.writes+op.Writes, max(line.largest, op.Reads+op.Writes)
		if passes.tasks[op.ID] == 1 {
			line.alone++
			line.whole = cmp.Or(op.Whole, line.whole)
		}
		line.apart = cmp.Or(op.Apart, line.apart)
		for _, other := range p.lines {
			if other.Where != part.Where && other.Line > 0 && !slices.Contains(line.joins, other.Where) {
				line.joins = append(line.joins, other.Where)
			}
		}
	}
}

// RateOptions say what lines' rates are compared with.
type RateOptions struct {
	Limit  float64 // bytes per second that this machine copies; 0 is unknown
	Caches int64   // bytes that its caches hold; 0 is unknown
	Ops    []LineOp
}

// LineRates are the rates of lines, in words.
type LineRates map[profiler.Where]string

// NewLineRates returns how fast the lines of a trace moved bytes: what a profile by lines says of them, for timelines
// and graphs.
func NewLineRates(t *profiler.Trace, o RateOptions) LineRates {
	costs, _ := costsOf(t, o.Ops)
	rates := LineRates{}
	for w, l := range costs {
		if rate := l.rate(o.Limit, o.Caches); rate.lane > 0 && w.Line > 0 {
			rates[w] = rate.String()
		}
	}
	return rates
}

// lineRate is how fast a line's passes moved bytes, in bytes per second.
type lineRate struct {
	lane  float64 // in a lane's time
	all   float64 // on all lanes together while its tasks ran, for comparing it with what the machine can
	limit float64 // which that is, 0 where it is not known
	short string  // why it is more than the limit, in a word or two
	why   string
}

// rate computes a line's rates; zeros where it moved nothing. A line of fused passes has theirs.
func (l *LineCost) rate(limit float64, caches int64) lineRate {
	r := lineRate{limit: limit}
	if l.Busy > 0 {
		r.lane = float64(l.Bytes) / float64(l.Busy) * 1e9
	}
	if l.Wall > 0 {
		r.all = float64(l.Bytes) / float64(l.Wall) * 1e9
	}
	if limit == 0 || r.all <= limit*measured {
		return r
	}
	switch {
	case l.largest > 0 && l.largest <= caches:
		r.short, r.why = "in caches", fmt.Sprintf("the %s of a pass stay in the caches", units.Size(l.largest))
	case l.reads > l.writes:
		r.short, r.why = "mostly reads", "it reads more than it writes, and reading is faster"
	case l.largest == 0:
		r.short, r.why = "not known why", "its operations are no longer logged, so that it is not known whether they stay in the caches"
	default:
		r.short, r.why = "limit too low", "other programs took from the memory's speed when copying was measured"
	}
	return r
}

// measured is by how much a rate may be above the measured limit without a word: timers and other programs are not that
// exact.
const measured = 1.01

// share is the share of the limit: "84%", and where it is more, why: "288% (in caches)".
func (r lineRate) share() string {
	if r.all == 0 || r.limit == 0 {
		return ""
	}
	text := fmt.Sprintf("%.0f%%", 100*r.all/r.limit)
	if r.short != "" {
		text += " (" + r.short + ")"
	}
	return text
}

// String is the rate in a sentence's words: "4.90 GB/s in a lane, 84% of the copy speed".
func (r lineRate) String() string {
	if r.lane == 0 {
		return ""
	}
	text := units.PerSecond(r.lane) + " in a lane"
	if share := r.share(); share != "" {
		text += ", " + share + " of the copy speed"
	}
	return text
}

// covered returns how much time a set of spans covers.
func covered(spans [][2]int64) (sum int64) {
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	until := int64(-1 << 62)
	for _, s := range spans {
		if s[1] > until {
			sum += s[1] - max(s[0], until)
			until = s[1]
		}
	}
	return sum
}
