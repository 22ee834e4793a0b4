package driver

import (
	"testing"

	"weft/scheduler"
)

// Ops in windows of 64, fused into one or not; a copy and a free now and then. The log keeps
// what belongs to the newest ops and nothing that is older than that.
func TestTheLogKeepsNoOldOps(t *testing.T) {
	for _, fused := range []int{1, 64} {
		var l eventLog
		var task scheduler.TaskID
		log := func(t *scheduler.Task) {
			task++
			t.ID = task
			l.task(t, 0)
		}
		last := scheduler.OpID(3*loggedOps + 64)
		for id := scheduler.OpID(64); id <= last; id += 64 {
			for part := 64 - fused; part >= 0; part -= fused { // the newest first
				op := &scheduler.Op{ID: id - scheduler.OpID(part)}
				if fused > 1 {
					op.Parts = make([]*scheduler.Op, fused)
				}
				l.op(op, false)
				log(&scheduler.Task{Kind: scheduler.Copy})
				log(&scheduler.Task{Op: op})
				log(&scheduler.Task{Kind: scheduler.Free})
			}
			l.close()
		}
		l.drop() // which does not happen with every window
		ops, runs, others := 0, 0, 0
		for _, op := range l.ops {
			if op != nil {
				ops++
				if op.ID+broadOps <= last {
					t.Errorf("fused %d: op %d is kept, %d is the newest", fused, op.ID, last)
				}
			}
		}
		for _, row := range l.tasks {
			switch {
			case row.Task == nil:
			case row.Op == nil:
				others++
			default:
				runs++
				if row.Op.ID+broadOps <= last {
					t.Errorf("fused %d: task %d of op %d is kept, %d is the newest", fused, row.ID, row.Op.ID, last)
				}
			}
		}
		want := broadOps / fused
		if ops != want || runs != min(want, loggedTasks/3) && fused > 1 || others < runs {
			t.Errorf("fused %d: %d ops, %d runs and %d copies and frees are kept, wanted %d ops", fused, ops, runs, others, want)
		}
		if row := l.tasks[task%loggedTasks]; row.Task == nil || row.ID != task {
			t.Errorf("fused %d: the newest task is not kept", fused)
		}
	}
}

// Tasks without an op alone fill the ring, and never more.
func TestTheLogKeepsTheNewestCopies(t *testing.T) {
	var l eventLog
	for id := scheduler.TaskID(1); id <= loggedTasks+10; id++ {
		l.task(&scheduler.Task{ID: id, Kind: scheduler.Copy}, 0)
		l.close()
	}
	for id := scheduler.TaskID(11); id <= loggedTasks+10; id++ {
		if row := l.tasks[id%loggedTasks]; row.Task == nil || row.ID != id {
			t.Fatalf("task %d is not kept", id)
		}
	}
}

// Of windows that ran in order less is kept: so many ops of the program, fused or not, and what
// came behind the oldest of them.
func TestTheLogKeepsFewBriefOps(t *testing.T) {
	for _, fused := range []int{1, 64} {
		var l eventLog
		var task scheduler.TaskID
		for id := scheduler.OpID(64); id <= 3*loggedOps; id += 64 {
			for part := 64 - fused; part >= 0; part -= fused {
				task++
				op := &scheduler.Op{ID: id - scheduler.OpID(part)}
				if fused > 1 {
					op.Parts = make([]*scheduler.Op, fused)
				}
				l.op(op, id%4096 != 0)
				l.task(&scheduler.Task{ID: task, Op: op}, 0)
			}
			l.close()
		}
		l.drop()
		kept := 0
		for id := scheduler.OpID(1); id <= 3*loggedOps; id++ {
			op := l.ops[id%loggedOps]
			known := op != nil && op.ID == id
			if known {
				kept++
			}
			// The newest window in 64 did not run in order, and is not counted.
			if id > 3*loggedOps-briefOps && id%scheduler.OpID(fused) == 0 && !known {
				t.Fatalf("fused %d: op %d is not kept", fused, id)
			}
			if id <= 3*loggedOps-briefOps-64 && known {
				t.Fatalf("fused %d: op %d is kept", fused, id)
			}
		}
		tasks := 0
		for _, row := range l.tasks {
			if row.Task != nil {
				tasks++
			}
		}
		if tasks != kept || l.briefs > briefOps {
			t.Errorf("fused %d: %d tasks of %d ops are kept, %d of them brief", fused, tasks, kept, l.briefs)
		}
	}
}
