//go:build cuda && cgo && linux

package driver

import (
	"fmt"
	"strings"
	"testing"
)

// Two queues that share memory are in order by events alone, whatever the order in which they happen to run.
func TestFakeRacesBetweenQueues(t *testing.T) {
	const n = 256
	type queues struct {
		r              *rig
		a, b, c        uint64 // streams
		p, q, pinned   uint64
		set, add, spin uint64
		event          func(from, to uint64) // orders the second stream after what is in the first
	}
	cases := []struct {
		name string
		run  func(q queues)
		race string // "" for none
	}{
		{"two writers", func(q queues) {
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
		}, "race: set"},
		{"two writers in order", func(q queues) {
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.event(q.a, q.b)
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
			q.r.all(q.p, n, q.b, 2)
		}, ""},
		{"two halves", func(q queues) {
			q.r.launch(q.set, q.a, 2, q.p, uint32(n/2), uint32(1))
			q.r.launch(q.set, q.b, 2, q.p+2*n, uint32(n/2), uint32(1))
			q.event(q.a, q.b)
			q.r.all(q.p, n, q.b, 1)
		}, ""},
		{"a copy after a kernel", func(q queues) {
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(1))
			q.r.ok("cuMemcpyDtoHAsync_v2", q.pinned, q.p, 4*n, q.a)
		}, "cuMemcpyDtoHAsync"},
		{"a copy after a kernel, in order", func(q queues) {
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(1))
			q.event(q.b, q.a)
			q.r.ok("cuMemcpyDtoHAsync_v2", q.pinned, q.p, 4*n, q.a)
		}, ""},
		{"an upload while a kernel reads", func(q queues) {
			q.r.launch(q.add, q.a, 4, q.q, q.p, uint32(n))
			q.r.ok("cuMemcpyHtoDAsync_v2", q.p, q.pinned, 4*n, q.b)
		}, "race: "},
		{"an upload after the reader", func(q queues) {
			q.r.launch(q.add, q.a, 4, q.q, q.p, uint32(n))
			q.event(q.a, q.b)
			q.r.ok("cuMemcpyHtoDAsync_v2", q.p, q.pinned, 4*n, q.b)
		}, ""},
		{"readers in no order", func(q queues) {
			q.r.launch(q.add, q.a, 4, q.q, q.p, uint32(n))
			q.r.ok("cuMemcpyDtoHAsync_v2", q.pinned, q.p, 4*n, q.b)
			q.r.ok("cuMemcpyDtoDAsync_v2", q.q+4*n, q.p, 4*n, q.c)
		}, ""},
		{"a writer after one of two readers", func(q queues) {
			q.r.launch(q.add, q.a, 4, q.q, q.p, uint32(n))
			q.r.ok("cuMemcpyDtoHAsync_v2", q.pinned, q.p, 4*n, q.b)
			q.event(q.b, q.c)
			q.r.launch(q.set, q.c, 4, q.p, uint32(n), uint32(1))
		}, "race: "},
		{"a writer after two readers", func(q queues) {
			q.r.launch(q.add, q.a, 4, q.q, q.p, uint32(n))
			q.r.ok("cuMemcpyDtoHAsync_v2", q.pinned, q.p, 4*n, q.b)
			q.event(q.b, q.c)
			q.event(q.a, q.c)
			q.r.launch(q.set, q.c, 4, q.p, uint32(n), uint32(1))
		}, ""},
		{"order through a third queue", func(q queues) {
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.event(q.a, q.c)
			q.event(q.c, q.b)
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
		}, ""},
		{"order by the host", func(q queues) {
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.r.ok("cuStreamSynchronize", q.a)
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
		}, ""},
		{"an event that is recorded again later", func(q queues) {
			e := q.r.event()
			q.r.ok("cuEventRecord", e, q.a)
			q.r.ok("cuStreamWaitEvent", q.b, e, 0)
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.r.ok("cuEventRecord", e, q.a) // the wait above is not for this one
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
		}, "race: set"},
		{"words of memory", func(q queues) {
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.r.ok("cuStreamWriteValue32", q.a, q.pinned, 77, 0)
			q.r.ok("cuStreamWaitValue32", q.b, q.pinned, 77, 1)
			q.r.launch(q.set, q.b, 4, q.p, uint32(n), uint32(2))
			q.r.all(q.p, n, q.b, 2)
		}, ""},
		{"a flag in device memory", func(q queues) { // a copy stops a kernel that polls
			q.r.launch(q.set, q.a, 1, q.q, uint32(1), uint32(0))
			q.event(q.a, q.b)
			q.event(q.a, q.c)
			q.r.launch(q.spin, q.b, 1, q.q, q.p)
			one := q.r.words(1)
			one[0] = 1
			q.r.ok("cuMemcpyHtoDAsync_v2", q.q, one.At(0), 4, q.c)
			q.r.all(q.p, 1, q.b, 1)
		}, ""},
		{"the legacy stream", func(q queues) { // these streams do not synchronise with it
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
			q.r.ok("cuMemsetD32_v2", q.p, 2, n)
		}, "race: "},
		{"memory that is copied to and used at once", func(q queues) {
			w := q.r.words(n)
			q.r.ok("cuMemcpyHtoD_v2", q.p, w.At(0), 4*n) // the last leg of a copy from pageable memory is not waited for
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
		}, "race: "},
		{"memory that is copied to, and waited for", func(q queues) {
			w := q.r.words(n)
			q.r.ok("cuMemcpyHtoD_v2", q.p, w.At(0), 4*n)
			q.r.ok("cuStreamSynchronize", 0)
			q.r.launch(q.set, q.a, 4, q.p, uint32(n), uint32(1))
		}, ""},
	}
	for _, c := range cases {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("%s/%d", c.name, seed), func(t *testing.T) {
				r := newRig(t)
				m := r.module()
				q := queues{r: r, a: r.stream(), b: r.stream(), c: r.stream(), p: r.alloc(4 * n), q: r.alloc(8 * n),
					set: r.kernel(m, "set"), add: r.kernel(m, "add"), spin: r.kernel(m, "spin")}
				q.pinned, _ = r.pinned(4 * n)
				q.event = func(from, to uint64) {
					e := r.event()
					r.ok("cuEventRecord", e, from)
					r.ok("cuStreamWaitEvent", to, e, 0)
				}
				r.ok("cuMemsetD32_v2", q.p, 9, n)
				r.ok("cuMemsetD32_v2", q.q, 9, 2*n)
				r.ok("cuCtxSynchronize")
				r.fake.Seed(seed)
				c.run(q)
				r.ok("cuCtxSynchronize")
				lines := r.fake.Ledger()
				if c.race == "" && len(lines) > 0 {
					t.Errorf("the ledger says %q", lines)
				}
				if c.race != "" && (len(lines) == 0 || !strings.Contains(strings.Join(lines, "\n"), c.race) || !strings.Contains(lines[0], "nothing orders the two")) {
					t.Errorf("the ledger says %q, want %q", lines, c.race)
				}
			})
		}
	}
}

func TestFakeRacesOfBlocks(t *testing.T) {
	r := newRig(t)
	s, p := r.stream(), r.alloc(4*257)
	m := r.module()
	r.ok("cuMemsetD32Async", p, 1, 257, s)
	r.launch(r.kernel(m, "shift"), s, 1, p, uint64(0), uint32(64)) // one block
	r.ok("cuStreamSynchronize", s)
	r.said()
	r.launch(r.kernel(m, "shift"), s, 4, p, uint64(0), uint32(256))
	r.ok("cuStreamSynchronize", s)
	lines := r.fake.Ledger()
	if len(lines) == 0 || !strings.Contains(lines[0], "race: shift (line ") || !strings.Contains(lines[0], "another block of the launch") {
		t.Errorf("the ledger says %q", lines)
	}
	r.ok("cuMemsetD32Async", p, 0, 1, s)
	r.launch(r.kernel(m, "tally"), s, 4, p) // atomic operations do not race
	r.all(p, 1, s, 256)
	r.said()
	r.launch(r.kernel(m, "add"), s, 1, r.alloc(400), p, uint32(10))
	r.ok("cuStreamSynchronize", s)
	r.said("unwritten: add")
}

// A call that appends work returns before the work is done.
func TestFakeWorkIsAsynchronous(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	flag, word := r.pinned(64)
	out := r.alloc(4)
	e := r.event()
	r.launch(r.kernel(m, "spin"), s, 1, flag, out)
	r.ok("cuEventRecord", e, s)
	for range 100 {
		r.code(600, "cuStreamQuery", s)
		r.code(600, "cuEventQuery", e)
	}
	word[0] = 1
	r.ok("cuEventSynchronize", e)
	r.ok("cuEventQuery", e)
	r.ok("cuStreamQuery", s)
	r.all(out, 1, s, 1)
}

// The seed chooses which of two queues goes first; the order inside of one stays.
func TestFakeSeeds(t *testing.T) {
	r := newRig(t)
	a, b := r.stream(), r.stream()
	counts := r.words(3)
	count := r.fake.Symbol("fakecuda_count")
	m := r.module()
	out := r.alloc(4 * 64)
	set := r.kernel(m, "set")
	first := map[uint32]int{}
	for seed := uint64(1); seed <= 40; seed++ {
		r.fake.Seed(seed)
		r.launch(set, a, 1, out, uint32(1), uint32(1))
		r.launch(set, b, 1, out, uint32(1), uint32(2))
		r.ok("cuLaunchHostFunc", a, count, counts.At(0))
		r.ok("cuLaunchHostFunc", b, count, counts.At(0))
		r.ok("cuCtxSynchronize")
		first[r.read(out, 1, a)[0]]++
	}
	if counts[0] != 80 {
		t.Errorf("%d host functions ran, want 80", counts[0])
	}
	if first[1] < 5 || first[2] < 5 {
		t.Errorf("which was last: %v; want both often", first)
	}
	if lines := r.fake.Ledger(); len(lines) == 0 {
		t.Error("the races were not seen")
	}
}
