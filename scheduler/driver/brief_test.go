package driver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/scheduler"
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
