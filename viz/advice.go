package viz

import (
	"fmt"
	"strings"

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
	worthCopies  = 0.1 // of the bytes
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

// rules are what a report is searched for. A row says what it saw and what would help; the line's place is put
// in front of it.
var rules = []struct {
	name string
	find func(r *LineReport, l *LineCost) string
}{
	{"fallback", func(r *LineReport, l *LineCost) string {
		var took int64
		var names []string
		for _, f := range l.Fallbacks {
			took += f.Time
			names = append(names, f.Name)
		}
		if !r.worth(took) {
			return ""
		}
		return fmt.Sprintf("%s is done by NumPy, on one processor, for %s: nothing of it runs at the same time or in one pass with other operations", strings.Join(names, ", "), profiler.Duration(took))
	}},
	{"waits", func(r *LineReport, l *LineCost) string {
		if l.Waits < manyWaits || !r.worth(l.Waited) {
			return ""
		}
		return fmt.Sprintf("values are read %d times, and %s waited for: program and processors take turns; read once, behind the loop, or compute with the array instead of its value", l.Waits, profiler.Duration(l.Waited))
	}},
	{"little", func(r *LineReport, l *LineCost) string {
		if l.Tasks < manyTasks || !r.worth(l.Busy) || float64(l.Busy) > littleTask*float64(l.Tasks) {
			return ""
		}
		return fmt.Sprintf("%d tasks of %s each: starting them costs as much as their work; larger arrays, or more operations before a value is read, make fewer of them", l.Tasks, profiler.Duration(l.Busy/int64(l.Tasks)))
	}},
	{"copies", func(r *LineReport, l *LineCost) string {
		var worst profiler.Total
		for _, c := range l.Copies {
			if c.Bytes > worst.Bytes {
				worst = c
			}
		}
		if float64(worst.Bytes) < worthCopies*float64(r.Bytes) || worst.Bytes == 0 {
			return ""
		}
		return fmt.Sprintf("%s copied (%s): %s", profiler.Size(worst.Bytes), worst.Name, causes[worst.Name])
	}},
	{"alone", func(r *LineReport, l *LineCost) string {
		if r.Processors < 2 || l.alone == 0 || l.alone < l.Tasks || !r.worth(l.Busy) {
			return ""
		}
		text := fmt.Sprintf("it runs on one of %d processors at a time", r.Processors)
		if l.whole != "" {
			text += ": " + l.whole
		}
		return text
	}},
	{"limit", func(r *LineReport, l *LineCost) string {
		if r.Limit == 0 || !r.worth(l.Wall) || l.Rate() < nearLimit*r.Limit {
			return ""
		}
		return fmt.Sprintf("it moves %s, %.0f%% of what this machine copies: only fewer bytes help, such as float32, or fewer passes over the arrays", rateText(l.Rate()), 100*l.Rate()/r.Limit)
	}},
	{"arithmetic", func(r *LineReport, l *LineCost) string {
		if r.Limit == 0 || !r.worth(l.Busy) || l.Rate() == 0 || l.Rate() > farFromLimit*r.Limit || float64(l.Busy) < 10*littleTask*float64(l.Tasks) {
			return ""
		}
		return fmt.Sprintf("it moves %s, far below the %s of copying: computing is what takes the time, so that fewer or cheaper operations help", rateText(l.Rate()), rateText(r.Limit))
	}},
	{"apart", func(r *LineReport, l *LineCost) string {
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
					r.Advice = append(r.Advice, lines[i].Place+": "+text)
				}
			}
		}
	}
}

func rateText(bytesPerSecond float64) string { return profiler.Size(int64(bytesPerSecond)) + "/s" }
