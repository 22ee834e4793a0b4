package report

import (
	"fmt"
	"slices"

	"weft/internal/units"
	"weft/profiler"
)

// Notes say more about a line, in a few words each.
func (r *LineReport) Notes(l *LineCost) []string {
	var notes []string
	put := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for i, c := range l.Calls {
		if i == mostCalls {
			put("%d other calls", len(l.Calls)-i)
			break
		}
		known := slices.ContainsFunc(l.Fallbacks, func(f profiler.Total) bool { return numpyCall+f.Name == c.Name }) // said below
		if !known && c.Time >= worthWord*l.Time/100 {
			put("%s %s%s", c.Name, units.Duration(c.Time), l.inside(c))
		}
	}
	if l.Asleep > 0 && l.Asleep >= worthWord*l.Spent[Calling]/100 {
		put("%s asleep", units.Duration(l.Asleep))
	}
	if l.Reads > 0 {
		put("%s read", units.Count(l.Reads, "element"))
	}
	if l.Writes > 0 {
		put("%s written", units.Count(l.Writes, "element"))
	}
	switch {
	case l.Operations > l.Passes && l.Passes > 0:
		put("%s in %s", units.Count(l.Operations, "operation"), units.Count(l.Passes, "pass"))
	case l.Operations > 1:
		put("%s", units.Count(l.Operations, "operation"))
	}
	if l.Joins != "" {
		put("fused with %s", l.Joins)
	}
	if l.Tasks > l.Passes && l.Tasks > 1 {
		put("%s", units.Count(l.Tasks, "task"))
	}
	for _, c := range l.Copies {
		put("%s copied in %s (%s)", units.Size(c.Bytes), units.Duration(c.Time), c.Name)
	}
	for _, f := range l.Fallbacks {
		put("NumPy did %s, %s in %s", f.Name, units.Count(f.Count, "call"), units.Duration(f.Time))
	}
	if l.Waits > 0 {
		put("waited %s, %s", units.Count(l.Waits, "time"), units.Duration(l.Waited))
	}
	for k := Recording; k <= Planning; k++ {
		if ns := l.Spent[k]; ns > 0 && ns >= worthWord*l.Time/100 {
			put("%v %s", k, units.Duration(ns))
		}
	}
	if why := r.rate(l).why; why != "" {
		put("faster than copying: %s", why)
	}
	return notes
}

// inside names the shared object that ran for most of a call, if one is worth a word.
func (l *LineCost) inside(c profiler.Total) string {
	for _, in := range l.Within { // the longest first
		if in.Call == c.Name && in.Time >= worthModule*c.Time/100 {
			return fmt.Sprintf(", %s of it in %s", units.Duration(in.Time), in.Module)
		}
	}
	return ""
}

const (
	worthModule = 10 // percent of a call's time
	worthWord   = 5  // percent of a line's time
	mostCalls   = 4  // of a line that are named
)
