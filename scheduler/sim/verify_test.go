package sim

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/verify"
)

// traced is what a stream did on a configuration.
type traced struct {
	seed uint64
	cfg  Config
	verify.Trace
}

// TestVerify breaks the traces of some streams on every configuration in which nothing fails, and looks whether Verify
// finds it. The traces are made once for all.
func TestVerify(t *testing.T) {
	var all []traced
	for sd := uint64(1); sd <= 8; sd++ {
		stream := generate(sd, 40)
		for _, cfg := range configs {
			if cfg.Failing || cfg.Cancel || cfg.Machine.Memories[0].Capacity > 0 {
				continue
			}
			tr, err := trace(sd, stream, roomy(cfg, stream))
			if err != nil {
				t.Fatalf("seed %d on %s: %v", sd, cfg.Name, err)
			}
			all = append(all, traced{sd, cfg, tr})
		}
	}
	for _, c := range []struct {
		name  string
		seeds uint64 // how many of the streams it takes
		run   func(t *testing.T, all []traced)
	}{
		{"swapped times", 8, swappedTimes},
		{"missing dependences", 8, missingDependences},
		{"missing copies", 4, missingCopies},
		{"the end of a trace", 6, endOfATrace},
		{"illegal fusion", 8, illegalFusion},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, slices.DeleteFunc(slices.Clone(all), func(tr traced) bool { return tr.seed > c.seeds }))
		})
	}
}

// place is a byte of an instance.
type place struct {
	inst scheduler.InstanceID
	at   int64
}

// touched marks the bytes that a run or a copy uses: true where it writes.
func touched(t *scheduler.Task) map[place]bool {
	all := map[place]bool{}
	mark := func(inst *scheduler.Instance, at, n int64, write bool) {
		for i := range n {
			p := place{inst.ID, at + i}
			all[p] = all[p] || write
		}
	}
	if t.Kind == scheduler.Copy {
		mark(t.Src, t.Lo-t.Src.Lo, t.Hi-t.Lo, false)
		mark(t.Dst, t.Lo-t.Dst.Lo, t.Hi-t.Lo, true)
	}
	for i := range t.Args {
		a, v := &t.Args[i], &t.Op.Uses[i].View
		_, shape := t.Extent(i)
		points := 1
		for _, n := range shape {
			points *= n
		}
		for k := range points {
			at := a.Offset
			for axis, rest := len(shape)-1, k; axis >= 0; axis-- {
				at += int64(rest%shape[axis]) * v.Strides[axis]
				rest /= shape[axis]
			}
			mark(a.Instance, at, int64(v.Type.Size()), a.Access.Writes())
		}
	}
	return all
}

// conflict reports whether two tasks use the same byte, and one of them writes it: tasks also wait
// for each other where only their footprints have bytes in common.
func conflict(a, b *scheduler.Task) bool {
	of := touched(b)
	for p, write := range touched(a) {
		if other, both := of[p]; both && (write || other) {
			return true
		}
	}
	return false
}

// conflicting returns a pair of runs or copies that conflict, of which the second waits for the first.
func conflicting(r *rand.Rand, tr verify.Trace) (a, b int, ok bool) {
	index := map[scheduler.TaskID]int{}
	var pairs [][2]int
	for i, t := range tr.Tasks {
		index[t.ID] = i
		for _, id := range t.After {
			if on, known := index[id]; known && t.Kind != scheduler.Free && tr.Tasks[on].Kind != scheduler.Free {
				pairs = append(pairs, [2]int{on, i})
			}
		}
	}
	for _, i := range r.Perm(len(pairs)) {
		if p := pairs[i]; conflict(tr.Tasks[p[0]].Task, tr.Tasks[p[1]].Task) {
			return p[0], p[1], true
		}
	}
	return 0, 0, false
}

func cloned(tr verify.Trace) verify.Trace {
	return verify.Trace{Tasks: slices.Clone(tr.Tasks), Host: slices.Clone(tr.Host)}
}

// Two tasks of which one waits for the other, with each other's times: Verify says which two.
func swappedTimes(t *testing.T, all []traced) {
	tried := 0
	for _, tr := range all {
		a, b, ok := conflicting(rand.New(rand.NewPCG(tr.seed, 7)), tr.Trace)
		if !ok {
			continue
		}
		tried++
		broken := cloned(tr.Trace)
		x, y := &broken.Tasks[a], &broken.Tasks[b]
		x.Start, x.End, y.Start, y.End = y.Start, y.End, x.Start, x.End
		r := verify.LookBack(broken, verify.Whole)
		if !slices.ContainsFunc(r.Violations, func(v verify.Violation) bool {
			return v.Invariant == 4 && (v.Task == x.ID || v.Task == y.ID)
		}) {
			t.Errorf("seed %d on %s: the times of %v and %v are swapped; found %v", tr.seed, tr.cfg.Name, x.Task, y.Task, r.Violations)
		}
	}
	if tried < 30 {
		t.Errorf("only %d traces had tasks that wait", tried)
	}
}

// A dependence that the plan lacks is found although the tasks happened to run in order.
func missingDependences(t *testing.T, all []traced) {
	tried, found := 0, 0
	for _, tr := range all {
		r := rand.New(rand.NewPCG(tr.seed, 8))
		for range 4 {
			a, b, ok := conflicting(r, tr.Trace)
			if !ok {
				break
			}
			broken := cloned(tr.Trace)
			task := *broken.Tasks[b].Task
			task.After = slices.DeleteFunc(slices.Clone(task.After), func(id scheduler.TaskID) bool { return id == broken.Tasks[a].ID })
			broken.Tasks[b].Task = &task
			tried++
			report := verify.LookBack(broken, verify.Whole)
			for _, v := range report.Violations {
				if v.Task == task.ID && v.Other == broken.Tasks[a].ID && strings.Contains(v.Text, "does not wait for") {
					found++
					break
				}
			}
		}
	}
	// The others are implied: by what the task waits for besides, or because footprints conflict where elements do not.
	if tried < 100 || found < tried/2 {
		t.Errorf("of %d dependences that were removed, %d were missed", tried, found)
	}
}

// A read that finds an older value than the stream asks for, as after a copy that was left out.
func missingCopies(t *testing.T, all []traced) {
	found, spills := 0, 0
	for _, tr := range all {
		var copies []int
		for i, task := range tr.Tasks {
			if task.Kind == scheduler.Copy && task.Cause != scheduler.Grow {
				copies = append(copies, i)
			}
		}
		every := 1 + len(copies)/20 // small memories have thousands
		for k := 0; k < len(copies); k += every {
			broken, i := cloned(tr.Trace), copies[k]
			broken.Tasks[i].Start, broken.Tasks[i].End = 0, 0
			for _, v := range verify.LookBack(broken, verify.Whole).Violations {
				if v.Invariant == 5 && strings.Contains(v.Text, "wanted") {
					found++
					if broken.Tasks[i].Cause == scheduler.Spill {
						spills++
					}
					break
				}
			}
		}
	}
	if found < 50 || spills < 10 {
		t.Errorf("%d copies that were left out were missed by readers, %d spills", found, spills)
	}
}

// What is left of a trace when its beginning was dropped is in order still, and its mistakes are found.
func endOfATrace(t *testing.T, all []traced) {
	tried := 0
	for _, tr := range all {
		r := rand.New(rand.NewPCG(tr.seed, 9))
		for range 3 {
			at := 1 + r.IntN(len(tr.Tasks)-1)
			end := cloned(verify.Trace{Tasks: tr.Tasks[at:], Host: tr.Host})
			report := verify.LookBack(end, verify.Whole)
			if report.Wrong > 0 || report.Older != at {
				t.Fatalf("seed %d on %s from %v on: %d older, found %v", tr.seed, tr.cfg.Name, tr.Tasks[at].ID, report.Older, report.Violations)
			}
			a, b, ok := conflicting(r, end)
			if !ok {
				continue
			}
			tried++
			x, y := &end.Tasks[a], &end.Tasks[b]
			x.Start, x.End, y.Start, y.End = y.Start, y.End, x.Start, x.End
			if verify.LookBack(end, verify.Whole).Wrong == 0 {
				t.Errorf("seed %d on %s: swapped times of %v and %v were not found", tr.seed, tr.cfg.Name, x.Task, y.Task)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d traces had tasks that wait", tried)
	}
}

// A fused op that claims a part which it must not have, and one that does not write what others read.
func illegalFusion(t *testing.T, all []traced) {
	moved, dropped := 0, 0
	for _, tr := range all {
		ops := map[*scheduler.Op]bool{}
		var last *scheduler.Op
		for i := range tr.Tasks {
			task := tr.Tasks[i].Task
			if task.Kind != scheduler.Run || ops[task.Op] {
				continue
			}
			ops[task.Op] = true
			if last != nil && last.Parts == nil && task.Op.Parts == nil && depends(last, task.Op) {
				// As if both ran as one, at the place of the first.
				fused := *last
				fused.Parts = []*scheduler.Op{last, task.Op}
				if verify.LookBack(withOp(tr.Trace, last, &fused), verify.Whole).Wrong > 0 {
					moved++
				}
			}
			if task.Op.Parts != nil {
				fused := *task.Op
				part := *fused.Parts[len(fused.Parts)-1]
				part.Uses = slices.Clone(part.Uses)
				for k := range part.Uses {
					if part.Uses[k].Access == scheduler.Write { // a store that the fused op does not write
						part.Uses[k].View.Store = 1
					}
				}
				fused.Parts = append(slices.Clone(fused.Parts[:len(fused.Parts)-1]), &part)
				if verify.LookBack(withOp(tr.Trace, task.Op, &fused), verify.Whole).Wrong > 0 {
					dropped++
				}
			}
			last = task.Op
		}
	}
	if moved < 5 || dropped < 5 {
		t.Errorf("%d illegal groups and %d values that were dropped were found", moved, dropped)
	}
}

// depends reports whether an op reads, at other points, what another writes.
func depends(a, b *scheduler.Op) bool {
	for _, x := range a.Uses {
		for _, y := range b.Uses {
			if x.Access.Writes() && scheduler.Overlap(x.View, y.View) && (x.View.Offset != y.View.Offset || !slices.Equal(x.View.Shape, y.View.Shape)) {
				return true
			}
		}
	}
	return false
}

// withOp returns the trace with another op in place of one.
func withOp(tr verify.Trace, old, op *scheduler.Op) verify.Trace {
	tr = cloned(tr)
	for i := range tr.Tasks {
		if tr.Tasks[i].Op == old {
			task := *tr.Tasks[i].Task
			task.Op = op
			tr.Tasks[i].Task = &task
		}
	}
	return tr
}
