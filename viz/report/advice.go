package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/profiler"
)

// From where on something is worth a word. They are shares of the whole, or of what is possible.
const (
	worthShare   = 0.1 // of the time of the cell
	nearLimit    = 0.7 // of what the machine copies
	farFromLimit = 0.3
	littleTask   = 20e3 // nanoseconds: about what planning and starting a task cost
	manyTasks    = 200
	manyWaits    = 10
	manyElements = 1000
	worthPython  = 0.3        // of the time of the cell: a loop, and not the few calls around array work
	leastPython  = 10_000_000 // nanoseconds: of less, a thread that had to wait for its processor may be the cause
	worthCopies  = 0.1        // of the bytes
)

// causes say what copies are for, and what can be done about them.
var causes = map[string]string{
	"upload":      "data that the host has made goes to a GPU for the first time; make it there (np.arange, random) or keep using it there",
	"halo":        "tiles need elements of their neighbours; larger tiles, that is fewer devices for small grids, need less of it",
	"repartition": "an operation cuts an array differently from the one that wrote it; operate along the same axes one after the other",
	"gather":      "the program reads values; read less, or reduce before reading",
	"grow":        "an array's part was replaced by a larger one",
	"spill":       "a memory was full; fewer or smaller arrays at a time, or more --fbmem",
}

// LineAdvice is what stands out about a line.
type LineAdvice struct {
	Place string // line 7
	Text  string
	first bool  // before all that is not
	time  int64 // nanoseconds that it is about
}

// rules are what a report is searched for. A row says what it saw and what would help; the line's place is put
// in front of it. What goes first takes a program's time without doing array work.
var rules = []struct {
	name  string
	first bool
	find  func(r *LineReport, l *LineCost) string
}{
	{"elements", true, func(r *LineReport, l *LineCost) string {
		n := l.Reads + l.Writes
		if n < manyElements || !r.worth(l.Time) {
			return ""
		}
		what := units.Count(l.Reads, "element") + " read"
		switch {
		case l.Reads == 0:
			what = units.Count(l.Writes, "element") + " written"
		case l.Writes > 0:
			what += fmt.Sprintf(" and %s written", units.Thousands(l.Writes))
		}
		return fmt.Sprintf("%s one by one, %s of the time, %s each; as slices (a[1:] - a[:-1] for a[i+1] - a[i]) they are one operation; a list (a.tolist()) is quicker to loop over",
			what, r.share(l.Time), units.Duration(l.Time/int64(n)))
	}},
	{"fallback", true, func(r *LineReport, l *LineCost) string {
		var took int64
		var names []string
		for _, f := range l.Fallbacks {
			took += f.Time
			names = append(names, f.Name)
		}
		if !r.worth(took) {
			return ""
		}
		return fmt.Sprintf("%s is done by NumPy, on one processor, for %s: nothing of it runs at the same time or in one pass with other operations", strings.Join(names, ", "), units.Duration(took))
	}},
	{"waits", true, func(r *LineReport, l *LineCost) string {
		n := max(l.Waits, l.Values)
		if n < manyWaits || l.Reads+l.Writes >= manyElements || !r.worth(l.Waited) && !r.worth(l.Time) {
			return ""
		}
		return fmt.Sprintf("values are read %s times, and %s waited for: program and processors take turns; read once, behind the loop, or compute with the array instead of its value", units.Thousands(n), units.Duration(l.Waited))
	}},
	{"calls", false, func(r *LineReport, l *LineCost) string {
		if !r.worth(l.Spent[Calling]) || len(l.Calls) == 0 || l.Fallbacks != nil {
			return ""
		}
		most := l.Calls[0]
		text := fmt.Sprintf("%s takes %s, %s of the time, on the program's own thread", most.Name, units.Duration(most.Time), r.share(most.Time))
		if l.Asleep > l.Spent[Calling]/2 {
			text = fmt.Sprintf("%s takes %s, %s of the time, %s of that asleep: it waits for something that is not an array", most.Name, units.Duration(most.Time), r.share(most.Time), units.Duration(l.Asleep))
		}
		return text
	}},
	{"python", false, func(r *LineReport, l *LineCost) string {
		if float64(l.Spent[Python]) < worthPython*float64(r.Wall) || l.Spent[Python] < leastPython || l.Reads+l.Writes >= manyElements {
			return ""
		}
		return fmt.Sprintf("Python itself runs for %s, %s of the time: operations on whole arrays in place of a loop take that away", units.Duration(l.Spent[Python]), r.share(l.Spent[Python]))
	}},
	{"recording", false, func(r *LineReport, l *LineCost) string {
		if !r.worth(l.Spent[Recording]+l.Spent[Planning]) || l.Operations < manyTasks || l.Reads+l.Writes >= manyElements {
			return ""
		}
		return fmt.Sprintf("asking for %s operations takes %s, %s of the time: larger arrays need fewer of them", units.Thousands(l.Operations), units.Duration(l.Spent[Recording]+l.Spent[Planning]), r.share(l.Spent[Recording]+l.Spent[Planning]))
	}},
	{"little", false, func(r *LineReport, l *LineCost) string {
		if l.Tasks < manyTasks || !r.worth(l.Busy) || float64(l.Busy) > littleTask*float64(l.Tasks) {
			return ""
		}
		return fmt.Sprintf("%d tasks of %s each: starting them costs as much as their work; larger arrays, or more operations before a value is read, make fewer of them", l.Tasks, units.Duration(l.Busy/int64(l.Tasks)))
	}},
	{"copies", false, func(r *LineReport, l *LineCost) string {
		var worst profiler.Total
		for _, c := range l.Copies {
			if c.Bytes > worst.Bytes {
				worst = c
			}
		}
		if float64(worst.Bytes) < worthCopies*float64(r.Bytes) || worst.Bytes == 0 {
			return ""
		}
		return fmt.Sprintf("%s copied (%s): %s", units.Size(worst.Bytes), worst.Name, causes[worst.Name])
	}},
	{"alone", false, func(r *LineReport, l *LineCost) string {
		if r.Processors < 2 || l.alone == 0 || l.alone < l.Tasks || !r.worth(l.Busy) {
			return ""
		}
		text := fmt.Sprintf("it runs on one of %d processors at a time", r.Processors)
		if l.whole != "" {
			text += ": " + l.whole
		}
		return text
	}},
	{"limit", false, func(r *LineReport, l *LineCost) string {
		rate := r.rate(l)
		if r.Limit == 0 || !r.worth(l.Wall) || rate.all < nearLimit*r.Limit {
			return ""
		}
		why := cmp.Or(rate.why, "only fewer bytes help, such as float32, or fewer passes over the arrays")
		return fmt.Sprintf("it moves %s, %.0f%% of what this machine copies: %s", units.PerSecond(rate.all), 100*rate.all/r.Limit, why)
	}},
	{"arithmetic", false, func(r *LineReport, l *LineCost) string {
		rate := r.rate(l).all
		if r.Limit == 0 || !r.worth(l.Busy) || rate == 0 || rate > farFromLimit*r.Limit || float64(l.Busy) < 10*littleTask*float64(l.Tasks) {
			return ""
		}
		return fmt.Sprintf("it moves %s, far below the %s of copying: computing is what takes the time, so that fewer or cheaper operations help", units.PerSecond(rate), units.PerSecond(r.Limit))
	}},
	{"apart", false, func(r *LineReport, l *LineCost) string {
		if l.apart == "" || !r.worth(l.Busy) {
			return ""
		}
		return "a pass of its own, " + l.apart
	}},
}

// worth reports whether a time is a part of the whole that one should talk about.
func (r *LineReport) worth(ns int64) bool {
	return float64(ns) >= worthShare*float64(max(r.Busy, r.Wall, 1))
}

// advise applies the rules to all lines.
func (r *LineReport) advise() {
	for _, lines := range [][]LineCost{r.Lines, r.Elsewhere} {
		for i := range lines {
			for _, rule := range rules {
				if text := rule.find(r, &lines[i]); text != "" {
					r.Advice = append(r.Advice, LineAdvice{lines[i].Place, text, rule.first, lines[i].Time})
				}
			}
		}
	}
	slices.SortStableFunc(r.Advice, func(a, b LineAdvice) int {
		if a.first != b.first {
			if a.first {
				return -1
			}
			return 1
		}
		if a.first {
			return cmp.Compare(b.time, a.time)
		}
		return 0
	})
}
