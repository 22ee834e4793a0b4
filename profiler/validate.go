package profiler

import "fmt"

// Violation is something in a trace that cannot have happened.
type Violation struct {
	Rule string // a row of rules
	Text string
}

// rules are what Validate holds of every run. A trace may lack rows that were lost; it must not contradict itself.
var rules = []struct {
	name, doc string
	find      func(t *Trace, report func(format string, args ...any))
}{
	{"once", "a task runs once", findRepeated},
	{"overlap", "a processor or channel does one thing at a time", findOverlaps},
	{"order", "a task starts after those that it waits for have ended, and after it was planned", findDisorder},
	{"known", "a task that ran is one of an op whose form is known", findUnknown},
	{"memory", "no more bytes are given back than were taken", findOverdraft},
}

// maxViolations bounds what is reported of each rule.
const maxViolations = 20

// Validate looks for contradictions in a trace: between its records, and between these and what tasks had to wait for.
// Nil is the good answer.
func Validate(t *Trace) []Violation {
	var found []Violation
	for _, r := range rules {
		n := 0
		r.find(t, func(format string, args ...any) {
			if n++; n <= maxViolations {
				found = append(found, Violation{r.name, fmt.Sprintf(format, args...)})
			}
		})
		if n > maxViolations {
			found = append(found, Violation{r.name, fmt.Sprintf("%d more of these", n-maxViolations)})
		}
	}
	return found
}

// works reports whether a record is a task's time on a processor or channel.
func works(rec *Record) bool { return rec.Task != 0 && (rec.Kind == Run || rec.Kind == Copy) }

func findRepeated(t *Trace, report func(string, ...any)) {
	seen := map[uint32]int{}
	for i := range t.Records {
		rec := &t.Records[i]
		if !works(rec) {
			continue
		}
		if before, again := seen[rec.Task]; again {
			report("t%d ran on %s at %d ns and on %s at %d ns", rec.Task,
				t.Lanes[t.Records[before].Lane].Name, t.Records[before].Start, t.Lanes[rec.Lane].Name, rec.Start)
		}
		seen[rec.Task] = i
	}
}

func findOverlaps(t *Trace, report func(string, ...any)) {
	before := -1
	for i := range t.Records { // by lane and start
		rec := &t.Records[i]
		if !works(rec) || rec.Start == rec.End {
			continue
		}
		if before >= 0 && t.Records[before].Lane == rec.Lane && t.Records[before].End > rec.Start {
			report("t%d starts on %s at %d ns, while t%d runs until %d ns", rec.Task, t.Lanes[rec.Lane].Name, rec.Start, t.Records[before].Task, t.Records[before].End)
		}
		before = i
	}
}

func findDisorder(t *Trace, report func(string, ...any)) {
	record := map[uint32]*Record{}
	for i := range t.Records {
		if works(&t.Records[i]) {
			record[t.Records[i].Task] = &t.Records[i]
		}
	}
	for i := range t.Tasks {
		task := &t.Tasks[i]
		rec := record[task.ID]
		if rec == nil {
			continue
		}
		if rec.Start < task.Planned {
			report("t%d starts at %d ns, but was planned at %d ns", task.ID, rec.Start, task.Planned)
		}
		for _, id := range task.After {
			if before := record[id]; before != nil && before.End > rec.Start {
				report("t%d starts at %d ns, but waits for t%d, which ends at %d ns", task.ID, rec.Start, id, before.End)
			}
		}
	}
}

func findUnknown(t *Trace, report func(string, ...any)) {
	for i := range t.Records {
		rec := &t.Records[i]
		if rec.Kind == Run && rec.Task != 0 && t.FormOf(rec.Op) == &t.Forms[0] && len(t.Ops) < maxOps {
			report("t%d ran on %s for o%d, of which nothing is known", rec.Task, t.Lanes[rec.Lane].Name, rec.Op)
		}
	}
}

// findOverdraft adds up each memory's lane. A lane that has lost records proves nothing.
func findOverdraft(t *Trace, report func(string, ...any)) {
	for lane, changes := range memoryChanges(t) {
		if t.Lost[lane] > 0 {
			continue
		}
		var live int64
		for _, c := range changes {
			if live += c.Bytes; live < 0 {
				report("%s has %d bytes fewer than none at %d ns", t.Lanes[lane].Name, -live, c.At)
				break
			}
		}
	}
}
