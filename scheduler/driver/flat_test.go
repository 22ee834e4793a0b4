package driver

import (
	"runtime"
	"testing"

	"weft/scheduler/core"
)

// A loop of any length leaves as many things behind as one that has filled the logs: nothing that
// the runtime keeps may grow with the number of turns. It counts the live objects of the whole process.
func TestALongLoopLeavesNothingBehind(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"inline":     func(o *Options) {},
		"op by op":   func(o *Options) { o.Core.Window = 1 },
		"not inline": func(o *Options) { o.InlineBytes = -1 },
		"gpus":       func(o *Options) { *o = gpus(2) },
	} {
		o, _ := cpuFake(1, 0)
		o.Core = core.Options{}
		change(&o)
		r, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{Runtime: r, t: t, in: r.Source("In[1]")}
		u, w := s.iota(6), s.iota(6)
		turns := 0
		run := func(n int) {
			for ; turns < n; turns++ {
				left := s.empty(4)
				s.line = 1
				s.add(left, u.slice(0, 4, 1), u.slice(2, 4, 1))
				s.add(w.slice(1, 4, 1), left, left)
				s.Free(left.id)
				fresh := s.empty(6)
				s.add(fresh, w, u)
				s.Free(u.id)
				u, w = w, fresh
				if turns%50 == 0 {
					if _, err := s.read(u.slice(3, 1, 1)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := s.Sync(nil); err != nil {
				t.Fatal(err)
			}
		}
		objects := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapObjects
		}
		last := 60_000
		if name != "inline" || testing.Short() {
			last = 24_000
		}
		run(12_000) // the logs are full: 2^15 tasks, 2^14 operations
		early := objects()
		buffers := len(r.buffers)
		run(last)
		if late := objects(); late > early+early/20+1000 {
			t.Errorf("%s: %d objects are alive after 12,000 turns, %d after %d", name, early, late, last)
		}
		if n := len(r.buffers); n > buffers+2 {
			t.Errorf("%s: %d buffers are known after 12,000 turns, %d after %d", name, buffers, n, last)
		}
		if tasks, _ := r.core.Look.Pending(); tasks != 0 {
			t.Errorf("%s: %d tasks are pending", name, tasks)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
