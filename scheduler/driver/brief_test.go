package driver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// A free that is not planned leaves the same behind as one that is: IDs, values, buffers, and the log, but for
// when it happened. Windows are planned and repeated by turns, arrays go at any time.
func TestFreesWithoutAPlan(t *testing.T) {
	for seed := range uint64(60) {
		var told [2][]string
		at := 0 // unplanned frees of the second
		for i := range told {
			s := unchecked(t, Options{})
			say := func(format string, args ...any) { told[i] = append(told[i], fmt.Sprintf(format, args...)) }
			free := func(a array) {
				tasks := s.log.entries
				if i == 0 { // the long way
					s.mu.Lock()
					s.letGo(a.id)
					s.freeLoose()
					s.mu.Unlock()
					return
				}
				s.Free(a.id)
				at += s.log.entries - tasks
			}
			r := rand.New(rand.NewPCG(seed, 0))
			all := []array{s.iota(8), s.filled(8)}
			if err := s.Sync(nil); err != nil {
				t.Fatal(err)
			}
			script, numbers := s.square(all[0])
			all = append(all, array{scheduler.StoreID(4), 0, 8, 1})
			for turn := range 40 {
				pick := func() array { return all[r.IntN(len(all))] }
				switch r.IntN(6) {
				case 0: // waits in the window
					out := s.empty(8)
					s.add(out, pick(), pick())
					all = append(all, out)
				case 1, 2:
					if first, ok := s.enact(script, []array{pick()}, numbers, 0); ok {
						all = append(all, array{first + 1, 0, 8, 1})
					}
				case 3:
					a := pick()
					values, err := s.read(a)
					say("turn %d: %v is %v (%v)", turn, a.id, values, err)
				default:
					if k := r.IntN(len(all)); len(all) > 2 {
						free(all[k])
						all = slices.Delete(all, k, k+1)
					}
				}
			}
			for _, a := range all {
				values, err := s.read(a)
				say("%v is %v (%v)", a.id, values, err)
			}
			for _, task := range s.Tasks(0) {
				where := ""
				if task.Src != nil {
					where = fmt.Sprint(task.Src.ID, task.Src.Store, task.Src.Lo, task.Src.Hi, task.Lo, task.Hi)
				}
				say("%v %v %s after %v, %v", task.ID, task.Kind, where, task.After, task.Start <= task.End)
			}
			say("%+v, %d bytes, %d buffers", s.core.Mark(), s.memory[0].live, len(s.buffers))
			if v := s.verified(scheduler.Whole); v.Wrong != 0 {
				t.Fatalf("seed %d:\n%s", seed, v.Text)
			}
		}
		if at == 0 {
			t.Errorf("seed %d: all frees were planned", seed)
		}
		for i := range told[0] {
			if told[0][i] != told[1][i] {
				t.Fatalf("seed %d: without a plan %s\nplanned: %s", seed, told[1][i], told[0][i])
			}
		}
	}
}

// What is made of the words of a brief task is the task, as a core that does not use its tasks again has kept it. Windows
// of all kinds, some of whose launches fail; what comes behind these has no value.
func TestBriefTasksAreLoggedLikeOthers(t *testing.T) {
	for seed := range uint64(80) {
		var told [2][]string
		for i := range told {
			o, device := cpuFake(1, 0)
			launches := uint64(0)
			device.before = func(*tile.Launch) error {
				if launches++; launches%(20+seed%20) == 0 {
					return fmt.Errorf("launch %d is to fail", launches)
				}
				return nil
			}
			o.Core = scheduler.Options{NoFusion: seed%2 == 0}
			o.Check = i == 0 // tasks are kept, whether somebody checks them or not
			s := begin(t, o)
			s.checker = nil
			say := func(format string, args ...any) { told[i] = append(told[i], fmt.Sprintf(format, args...)) }
			r := rand.New(rand.NewPCG(seed, 0))
			outside := []array{s.iota(8), s.iota(8), s.filled(8), s.filled(8)}
			for turn := range 8 {
				kept, _, _ := s.window(r.Uint64(), outside, 0.5)
				kept = append(kept, s.sum(outside[r.IntN(4)]))
				for _, a := range kept {
					if r.IntN(2) == 0 {
						values, err := s.read(a)
						say("turn %d: %v is %v (%v)", turn, a.id, values, err)
					}
					s.Free(a.id)
				}
			}
			if err := s.Sync(nil); err != nil {
				say("in the end %v", err)
			}
			failed := 0
			for _, task := range s.Tasks(0) {
				op := ""
				if task.Op != nil {
					op = fmt.Sprint(task.Op.ID, task.Op.Name, task.Op.Uniforms, len(task.Op.Parts))
				}
				say("%v %v on %v of %s at %v: %v from %v in %v, %v, %d bytes; %v; after %v; failed %v, started %v, ended %v, in time %v", task.ID, task.Kind, task.Device, op, task.Where,
					task.Shape, task.Origin, task.Block, operands(task.Args), task.Bytes(), operands([]scheduler.Arg{{Instance: task.Src}}), task.After,
					task.Failed, task.Start > 0, task.End > 0, task.End == 0 || task.Planned <= task.Start && task.Start <= task.End)
				if task.Failed {
					failed++
				}
			}
			if v := s.verified(scheduler.Whole); v.Wrong != 0 {
				t.Fatalf("seed %d:\n%s", seed, v.Text)
			}
			runs := 0
			for _, row := range s.log.tasks {
				if row.Task != nil && row.Kind == scheduler.Run {
					runs++
				}
			}
			if i == 0 && runs == 0 || i == 1 && runs != 0 || failed == 0 {
				t.Fatalf("seed %d: %d runs are logged as tasks (copied: %v), %d failed", seed, runs, i == 1, failed)
			}
		}
		for i := range told[0] {
			if i >= len(told[1]) || told[0][i] != told[1][i] {
				t.Fatalf("seed %d: of words\n%s\nas it was kept\n%s", seed, told[1][min(i, len(told[1])-1)], told[0][i])
			}
		}
	}
}

// operands is the text of where a task's operands are.
func operands(args []scheduler.Arg) string {
	text := ""
	for _, a := range args {
		if a.Instance != nil {
			text += fmt.Sprintf("%v of %v %d-%d in %v at %d, %v; ", a.Instance.ID, a.Instance.Store, a.Instance.Lo, a.Instance.Hi, a.Instance.Memory, a.Offset, a.Access)
		}
	}
	return text
}

// Of frees the newest are logged, however many there are behind one window or behind each of many.
func TestTheLogKeepsTheNewestFrees(t *testing.T) {
	for _, each := range []int{1, 3, manyFrees + 100, 5 * loggedTasks} {
		var l eventLog
		inst := scheduler.Instance{Hi: 8}
		task := scheduler.TaskID(0)
		free := func() {
			task++
			inst.ID++
			inst.Store++
			l.freed(task, inst, int64(task), int64(task), int64(task)+1)
		}
		free() // nobody has logged a window
		for op := scheduler.OpID(1); int(task) < 6*loggedTasks; op++ {
			task++
			l.op(&scheduler.Op{ID: op}, true)
			l.task(&scheduler.Task{ID: task}, 0)
			l.close()
			for range each {
				free()
			}
		}
		if words := len(l.windows.words); words > 4*freeWords*loggedEntries {
			t.Errorf("%d frees behind each window: %d words", each, words)
		}
		list := l.since(0)
		if last := list[len(list)-1]; last.ID != task || last.ID-list[0].ID != scheduler.TaskID(len(list)-1) {
			t.Errorf("%d frees behind each window: %d tasks from %v to %v are logged, and %v is the newest", each, len(list), list[0].ID, last.ID, task)
		}
		if want := min(loggedTasks, briefOps*(each+1)) / 2; len(list) < want {
			t.Errorf("%d frees behind each window: %d tasks are logged", each, len(list))
		}
		for _, row := range list {
			if row.Kind == scheduler.Free && (row.Start != int64(row.ID) || row.End != row.Start+1 || row.Src.Hi != 8) {
				t.Fatalf("%d frees behind each window: %v is %+v of %+v", each, row.ID, row, row.Src)
			}
		}
	}
}

// A window whose tasks are words is gone with the first of its ops that the ring has no row for any more, whether another op has
// the row by then, or the IDs went to repetitions, which have no rows.
func TestBriefWindowsAreDroppedWhole(t *testing.T) {
	const window = 64
	for _, behind := range []scheduler.OpID{1, loggedOps - window, loggedOps - window + 1, loggedOps - 1, loggedOps} {
		var l eventLog
		program, inst := &tile.Program{Params: make([]tile.Param, 1)}, &scheduler.Instance{ID: 1, Store: 1, Hi: 8}
		for id := scheduler.OpID(1); id <= window; id++ {
			l.op(&scheduler.Op{ID: id, Program: program, Uses: make([]scheduler.Use, 1)}, true)
		}
		l.close()
		for id := scheduler.TaskID(1); id <= window; id++ {
			l.did(&scheduler.Task{ID: id, Op: l.ops[id], Args: []scheduler.Arg{{Instance: inst}}}, 1, 2, 3, false)
		}
		l.op(&scheduler.Op{ID: window + behind, Program: program}, true)
		l.close()
		want := window
		if behind > loggedOps-window {
			want = 0
		}
		list := l.since(0)
		if len(list) != want {
			t.Errorf("%d ops behind a window: %d of its %d tasks are logged, wanted %d", behind, len(list), window, want)
		}
		for i, row := range list {
			if row.ID != scheduler.TaskID(i+1) || row.Op.ID != scheduler.OpID(i+1) {
				t.Fatalf("%d ops behind a window: task %d is %v of %v", behind, i, row.ID, row.Op.ID)
			}
		}
	}
}
