package profiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Checked says how much of a file was looked at.
type Checked struct {
	Records, Tasks uint64
	Far            uint64 // waits for tasks so much older that they were not looked at
}

// Bounds of what ValidateOf holds in memory at a time.
const (
	windowTasks  = 1 << 25 // tasks whose records are known together: 600 MB
	windowBack   = 1 << 22 // of these, those that are there because others may wait for them
	heldChanges  = 1 << 16 // of a memory's changes, so that they can be brought into the order of time
	windowGroups = 1 << 20 // task numbers that are looked at or passed over together
)

// ValidateOf is Validate for a file that is longer than memory should hold. It reads the file several times.
func ValidateOf(path string) ([]Violation, Checked, error) {
	return validatePieces(path, windowTasks, windowBack)
}

func validatePieces(path string, window, back uint32) ([]Violation, Checked, error) {
	t, err := ReadTables(path)
	if err != nil {
		return nil, Checked{}, err
	}
	v := &pieceValidator{t: t, window: window, back: back, found: map[string][]string{}, more: map[string]int{}}
	if err := v.records(path); err != nil {
		return nil, Checked{}, err
	}
	for next, any := v.nextTask(0); any; next, any = v.nextTask(v.done) {
		first := next - min(uint64(back), next)
		if err := v.tasks(path, first); err != nil {
			return nil, Checked{}, err
		}
		v.done = first + uint64(window)
	}
	var all []Violation
	for _, r := range rules {
		for _, text := range v.found[r.name] {
			all = append(all, Violation{r.name, text})
		}
		if n := v.more[r.name]; n > 0 {
			all = append(all, Violation{r.name, fmt.Sprintf("%d more of these", n)})
		}
	}
	return all, v.n, nil
}

// pieceValidator holds the rules of Validate against the pieces of a file.
type pieceValidator struct {
	t            *Trace // the tables
	window, back uint32
	n            Checked
	found        map[string][]string // by rule
	more         map[string]int
	used         [1 << 12]bool // of each group of task numbers, whether any is there
	done         uint64        // tasks with lower numbers were looked at

	// The records of the tasks of one window, by number; start is -1 where there is none.
	start, end []int64
	lane       []uint16
}

func (v *pieceValidator) report(rule, format string, args ...any) {
	if len(v.found[rule]) >= maxViolations {
		v.more[rule]++
		return
	}
	v.found[rule] = append(v.found[rule], fmt.Sprintf(format, args...))
}

// records looks through all records once for what needs no other task's record.
func (v *pieceValidator) records(path string) error {
	var ops recentOps
	seenOps := 0
	until := make([]*Record, len(v.t.Lanes)) // of the work of each lane, what ended last
	memories := make([]memoryCheck, len(v.t.Lanes))
	_, err := readPieces(path, func(tag string) bool { return tag == tagTexts }, func(inc *Increment) error {
		ops.add(inc.Ops)
		seenOps += len(inc.Ops)
		v.n.Records += uint64(len(inc.Records))
		v.n.Tasks += uint64(len(inc.Tasks))
		for i := range inc.Records {
			rec := &inc.Records[i]
			memories[rec.Lane].add(rec)
			if !works(rec) {
				continue
			}
			v.used[rec.Task/windowGroups] = true
			if form, _ := ops.form(rec.Op); form == 0 && rec.Kind == Run {
				v.report("known", "t%d ran on %s for o%d, of which nothing is known", rec.Task, v.t.Lanes[rec.Lane].Name, rec.Op)
			}
			if rec.Start == rec.End {
				continue
			}
			before := until[rec.Lane]
			if before != nil && before.End > rec.Start {
				v.report("overlap", "t%d starts on %s at %d ns, while t%d runs until %d ns", rec.Task, v.t.Lanes[rec.Lane].Name, rec.Start, before.Task, before.End)
			}
			if before == nil || rec.End > before.End {
				kept := *rec // not all of its chunk
				until[rec.Lane] = &kept
			}
		}
		return nil
	})
	if seenOps >= maxOps {
		delete(v.found, "known") // the recorder forgets old ones
		delete(v.more, "known")
	}
	for lane := range memories {
		m := &memories[lane]
		m.settle(len(m.held))
		if v.t.Lost[lane] == 0 && !m.late && m.live < 0 {
			v.report("memory", "%s has %d bytes fewer than none at %d ns", v.t.Lanes[lane].Name, -m.live, m.at)
		}
	}
	return err
}

// memoryCheck adds up what a memory's lane took and gave back, in the order of time, until it is less than nothing.
type memoryCheck struct {
	held []Use
	live int64
	at   int64 // of the newest change that was added up
	late bool  // one came so late that the sum proves nothing
}

func (m *memoryCheck) add(rec *Record) {
	switch rec.Kind {
	case Alloc:
		m.held = append(m.held, Use{rec.Start, rec.Bytes})
	case Free:
		m.held = append(m.held, Use{rec.End, -rec.Bytes})
	default:
		return
	}
	if len(m.held) >= 2*heldChanges {
		m.settle(heldChanges)
	}
}

// settle adds up the n oldest changes that are held.
func (m *memoryCheck) settle(n int) {
	slices.SortStableFunc(m.held, func(a, b Use) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Bytes, a.Bytes)) })
	for _, c := range m.held[:n] {
		if m.live < 0 {
			break
		}
		m.late = m.late || c.At < m.at
		m.live, m.at = m.live+c.Bytes, c.At
	}
	m.held = m.held[:copy(m.held, m.held[n:])]
}

// nextTask returns the number from which on there are tasks, at or behind another one.
func (v *pieceValidator) nextTask(from uint64) (first uint64, any bool) {
	for at := from; at <= math.MaxUint32; at = (at/windowGroups + 1) * windowGroups {
		if v.used[at/windowGroups] {
			return at, true
		}
	}
	return 0, false
}

// tasks looks at the tasks of a window of numbers: at their records, and then at what they waited for.
func (v *pieceValidator) tasks(path string, first uint64) error {
	if v.start == nil {
		v.start, v.end, v.lane = make([]int64, v.window), make([]int64, v.window), make([]uint16, v.window)
	}
	for i := range v.start {
		v.start[i] = -1
	}
	place := func(id uint32) (int, bool) {
		return int(uint64(id) - first), uint64(id) >= first && uint64(id)-first < uint64(v.window)
	}
	seen := func(id uint32) bool { return uint64(id) < v.done }
	_, err := readPieces(path, func(tag string) bool { return tag == tagTexts || tag == tagTasks || tag == tagOps }, func(inc *Increment) error {
		for i := range inc.Records {
			rec := &inc.Records[i]
			at, inside := place(rec.Task)
			if !inside || !works(rec) {
				continue
			}
			before := Record{Lane: v.lane[at], Start: v.start[at], End: v.end[at]}
			if again := before.Start >= 0; again {
				if rec.Lane < before.Lane || rec.Lane == before.Lane && rec.Start < before.Start {
					later := before // in the order of a trace
					before, rec = *rec, &later
				}
				if !seen(inc.Records[i].Task) {
					v.report("once", "t%d ran on %s at %d ns and on %s at %d ns", inc.Records[i].Task, v.t.Lanes[before.Lane].Name, before.Start, v.t.Lanes[rec.Lane].Name, rec.Start)
				}
			}
			v.start[at], v.end[at], v.lane[at] = rec.Start, rec.End, rec.Lane
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = readPieces(path, func(tag string) bool { return tag == tagTexts || tag == tagRecords || tag == tagOps }, func(inc *Increment) error {
		for i := range inc.Tasks {
			task := &inc.Tasks[i]
			at, inside := place(task.ID)
			if !inside || v.start[at] < 0 || seen(task.ID) {
				continue
			}
			if v.start[at] < task.Planned {
				v.report("order", "t%d starts at %d ns, but was planned at %d ns", task.ID, v.start[at], task.Planned)
			}
			for _, id := range task.After {
				before, inside := place(id)
				if !inside {
					v.n.Far++
				} else if v.start[before] >= 0 && v.end[before] > v.start[at] {
					v.report("order", "t%d starts at %d ns, but waits for t%d, which ends at %d ns", task.ID, v.start[at], id, v.end[before])
				}
			}
		}
		return nil
	})
	return err
}
