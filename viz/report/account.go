package report

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// The account of a program's wall time. At each moment its thread does one thing, so that what is charged adds up to
// the whole. Records are exact, samples say what was done between them:
//
//	samples  | python line 2 | a call of line 3     | the runtime, for line 4                   |
//	records                      NumPy does median    a plan     a wait for arrays
//	tasks                                                           a task of line 2, fused with line 4
//	charged    line 2: python  3: call  3: fallback   4: recording, planning; 2 and 4: arrays; 4: waiting
//
// Time in which the thread waits for arrays, or works in the runtime, while tasks run is charged to the lines that
// asked for these tasks. While the thread goes on with the program, what runs beside it costs no wall time.

// Spending is what a program's thread does.
type Spending uint8

// The kinds of spending.
const (
	Python    Spending = iota // runs lines of Python
	Calling                   // is in a library, or in one function of C
	Arrays                    // has array work done, or waits while it is done
	Recording                 // tells the runtime what is to be done
	Planning                  // plans it
	Waiting                   // waits while no task runs
	Unknown                   // was not looked at
	spendings
)

// spendingNames are what the kinds are called in reports.
var spendingNames = [spendings]string{
	Python: "Python", Calling: "calls", Arrays: "arrays", Recording: "recording", Planning: "planning", Waiting: "waiting", Unknown: "not sampled",
}

// numpyCall stands before the name of a call that went to NumPy.
const numpyCall = "NumPy's "

// String returns what reports call it.
func (s Spending) String() string { return spendingNames[s] }

// Spent is nanoseconds by what they were spent on.
type Spent [spendings]int64

// runtime is what the runtime itself took.
func (s *Spent) runtime() int64 { return s[Recording] + s[Planning] + s[Waiting] }

// Sample says what the program's thread did for a while.
type Sample struct {
	Start, End int64          // nanoseconds, as in the trace
	Where      profiler.Where // the innermost line of the user's; zeros where there is none
	Does       Spending       // Python, Calling or Recording: all that the thread does in the runtime
	Name       string         // of the function or library that is called
	Module     string         // the shared object that ran, where that says more
	Asleep     int64          // nanoseconds of it in which the thread was on no processor
}

// account charges a program's wall time to its lines.
type account struct {
	trace  *profiler.Trace
	o      LineOptions
	passes *passTable
	events []event

	runs      []int32 // records of the tasks that run
	waits     []int32
	plans     int
	fallbacks []int32
	sample    int32 // -1 is none
	spent     map[profiler.Where]*spending
}

// event is the beginning or the end of a record or sample.
type event struct {
	at     int64
	begins bool
	sample bool
	number int32
}

// callModule is a shared object that ran during a call.
type callModule struct{ call, module string }

// spending is what is charged to a line, unrounded: a nanosecond may be shared by the lines of several tasks.
type spending struct {
	on     [spendings]float64
	calls  map[string]float64
	within map[callModule]float64
	asleep float64
}

func newAccount(t *profiler.Trace, o LineOptions, passes *passTable) *account {
	a := &account{trace: t, o: o, passes: passes, sample: -1, spent: map[profiler.Where]*spending{}}
	for i := range t.Records {
		switch rec := &t.Records[i]; rec.Kind {
		case profiler.Run, profiler.Copy, profiler.Wait, profiler.Plan, profiler.Fallback:
			a.span(rec.Start, rec.End, false, i)
		}
	}
	for i := range o.Samples {
		a.span(o.Samples[i].Start, o.Samples[i].End, true, i)
	}
	slices.SortFunc(a.events, func(x, y event) int {
		if c := cmp.Compare(x.at, y.at); c != 0 || x.begins == y.begins {
			return c
		}
		if x.begins {
			return 1 // what ends goes first
		}
		return -1
	})
	return a
}

// span adds what lies in the program's part.
func (a *account) span(start, end int64, sample bool, number int) {
	start, end = max(start, a.o.Start), min(end, a.o.End)
	if start < end {
		a.events = append(a.events, event{start, true, sample, int32(number)}, event{end, false, sample, int32(number)})
	}
}

// charge charges everything, and puts it into the report.
func (a *account) charge(r *LineReport, costs lineCosts) {
	at := a.o.Start
	for _, e := range a.events {
		if e.at > at {
			a.pass(at, e.at)
			at = e.at
		}
		a.take(e)
	}
	if a.o.End > at {
		a.pass(at, a.o.End)
	}
	for w, s := range a.spent {
		line := &r.Between
		if w.Line > 0 {
			line = costs.at(w)
		}
		for k, ns := range s.on {
			line.Spent[k] += int64(ns)
			line.Time += int64(ns)
			r.Spent[k] += int64(ns)
		}
		line.Asleep = int64(s.asleep)
		for name, ns := range s.calls {
			line.Calls = append(line.Calls, profiler.Total{Name: name, Time: int64(ns)})
		}
		for in, ns := range s.within {
			line.Within = append(line.Within, CallModule{in.call, in.module, int64(ns)})
		}
		slices.SortFunc(line.Within, func(x, y CallModule) int {
			return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.Call, y.Call), cmp.Compare(x.Module, y.Module))
		})
		slices.SortFunc(line.Calls, func(x, y profiler.Total) int {
			return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.Name, y.Name))
		})
	}
}

// take keeps what goes on up to date.
func (a *account) take(e event) {
	if e.sample {
		a.sample = -1
		if e.begins {
			a.sample = e.number
		}
		return
	}
	list := &a.runs
	switch a.trace.Records[e.number].Kind {
	case profiler.Wait:
		list = &a.waits
	case profiler.Fallback:
		list = &a.fallbacks
	case profiler.Plan:
		a.plans--
		if e.begins {
			a.plans += 2
		}
		return
	}
	if e.begins {
		*list = append(*list, e.number)
	} else if i := slices.Index(*list, e.number); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
}

// pass charges the time from one event to the next.
func (a *account) pass(from, to int64) {
	ns := float64(to - from)
	now := Sample{Start: from, End: to, Does: Unknown}
	if a.sample >= 0 {
		now = a.o.Samples[a.sample]
	}
	switch {
	case len(a.waits) > 0:
		if !a.arrays(ns) {
			a.line(a.placeOf(a.waits, now.Where)).on[Waiting] += ns
		}
	case a.plans > 0:
		a.line(now.Where).on[Planning] += ns
	case len(a.fallbacks) > 0:
		rec := &a.trace.Records[a.fallbacks[len(a.fallbacks)-1]]
		a.call(a.placeOf(a.fallbacks, now.Where), numpyCall+a.trace.Name(rec), ns)
	case now.Does == Recording:
		if !a.arrays(ns) {
			a.line(now.Where).on[Recording] += ns
		}
	case now.Does == Calling:
		line := a.call(now.Where, now.Name, ns)
		if now.Module != "" {
			if line.within == nil {
				line.within = map[callModule]float64{}
			}
			line.within[callModule{now.Name, now.Module}] += ns
		}
		line.asleep += ns * float64(now.Asleep) / float64(max(now.End-now.Start, 1))
	default:
		a.line(now.Where).on[now.Does] += ns
	}
}

// placeOf is where the newest of some records was asked for: its own place where that is a line of this program, else
// the thread's, since a library may have asked.
func (a *account) placeOf(list []int32, thread profiler.Where) profiler.Where {
	w := a.trace.WhereOf(&a.trace.Records[list[len(list)-1]])
	if w.Source == a.o.Source && w.Line > 0 || thread.Line == 0 {
		return w
	}
	return thread
}

// arrays charges time to the lines whose tasks run, if any do.
func (a *account) arrays(ns float64) bool {
	for _, i := range a.runs {
		p := a.passes.of(&a.trace.Records[i])
		for _, l := range p.lines {
			a.line(l.Where).on[Arrays] += ns / float64(len(a.runs)) * p.part(l)
		}
	}
	return len(a.runs) > 0
}

func (a *account) call(w profiler.Where, name string, ns float64) *spending {
	line := a.line(w)
	line.on[Calling] += ns
	if line.calls == nil {
		line.calls = map[string]float64{}
	}
	line.calls[name] += ns
	return line
}

func (a *account) line(w profiler.Where) *spending {
	s := a.spent[w]
	if s == nil {
		s = &spending{}
		a.spent[w] = s
	}
	return s
}
