//go:build cuda && cgo && linux

package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// f32 reads the float at the beginning of a word.
func f32(w uint64) float32 { return *(*float32)(unsafe.Pointer(&w)) }

func TestFakeLegacyStream(t *testing.T) {
	for seed := range uint64(10) {
		r := newRig(t)
		blocking := r.made("cuStreamCreate", 0)
		r.later("cuStreamDestroy_v2", blocking)
		m := r.module()
		set := r.kernel(m, "set")
		p, w := r.alloc(400), r.words(50)
		r.fake.Seed(seed)
		for _, legacy := range []uint64{0, 1} {
			r.launch(set, blocking, 2, p, uint32(100), uint32(1))
			r.ok("cuMemsetD32Async", p, 2, 100, legacy)
			r.launch(set, blocking, 1, p, uint32(50), uint32(3))
			r.ok("cuMemcpyDtoH_v2", w.At(0), p, 400)
			if lo, hi := uint32(w[0]), uint32(w[49]); lo != 3 || hi != 2 {
				t.Fatalf("seed %d: got %d and %d, want 3 and 2", seed, lo, hi)
			}
		}
		// The thread's own default stream is a blocking stream.
		r.launch(set, 2, 2, p, uint32(100), uint32(4))
		r.ok("cuMemcpyDtoH_v2", w.At(0), p, 400)
		if uint32(w[0]) != 4 {
			t.Fatalf("got %d, want 4", uint32(w[0]))
		}
		r.said()
		r.finish()
	}
}

func TestFakeEvents(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	p := r.alloc(400)
	set := r.kernel(m, "set")
	e1, e2, untimed := r.event(), r.event(), r.made("cuEventCreate", 2)
	r.later("cuEventDestroy_v2", untimed)
	ms := r.words(1)
	r.ok("cuEventQuery", e1) // not recorded: no work, which is done
	r.ok("cuEventSynchronize", e1)
	r.code(400, "cuEventElapsedTime", ms.At(0), e1, e2)
	r.code(1, "cuEventCreate", ms.At(0), 64)
	r.ok("cuEventRecord", e1, s)
	r.launch(set, s, 2, p, uint32(100), uint32(1))
	r.ok("cuEventRecord", e2, s)
	r.ok("cuEventRecord", untimed, s)
	r.ok("cuStreamSynchronize", s)
	r.ok("cuEventElapsedTime", ms.At(0), e1, e2)
	if got := f32(ms[0]); got < 0.004 || got > 0.1 { // 3 us until it starts, 2 us or what its instructions take
		t.Errorf("a kernel took %v ms", got)
	}
	r.code(400, "cuEventElapsedTime", ms.At(0), e1, untimed)
	r.code(400, "cuEventRecord", untimed, s+1<<40)
	r.said("is no stream")

	// Events order queues of different devices, but are recorded on their own.
	r.on(1)
	far := r.stream()
	q := r.alloc(400)
	r.code(400, "cuEventRecord", e1, far)
	r.said("the event is of device 0, the stream of device 1")
	r.ok("cuStreamWaitEvent", far, e2, 0)
	r.ok("cuMemcpyPeerAsync", q, r.contexts[1], p, r.contexts[0], 400, far)
	r.all(q, 100, far, 1)
	r.on(0)
	r.ok("cuMemsetD32Async", p, 2, 100, s)
	r.on(1)
	r.ok("cuMemcpyPeerAsync", q, r.contexts[1], p, r.contexts[0], 400, far)
	r.ok("cuStreamSynchronize", far)
	r.on(0)
	r.ok("cuStreamSynchronize", s)
	if lines := r.fake.Ledger(); len(lines) == 0 || !strings.Contains(lines[0], "race: ") {
		t.Errorf("the ledger says %q, want a race of two devices", lines)
	}
}

func TestFakeHostFunctions(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	counts := r.words(3)
	r.ok("cuLaunchHostFunc", s, r.fake.Symbol("fakecuda_count"), counts.At(0))
	r.ok("cuStreamAddCallback", s, r.fake.Symbol("fakecuda_count_callback"), counts.At(1), 0)
	r.ok("cuLaunchHostFunc", s, r.fake.Symbol("fakecuda_call_back"), counts.At(2))
	r.ok("cuStreamSynchronize", s)
	if counts[0] != 1 || counts[1] != 1 || counts[2] != 800 {
		t.Errorf("got %v, want [1 1 800]", counts)
	}
	r.said("cuCtxSynchronize: called by a function that a queue called")
	r.code(1, "cuLaunchHostFunc", s, 0, 0)
	r.code(1, "cuStreamAddCallback", s, r.fake.Symbol("fakecuda_count_callback"), 0, 1)
}

func TestFakeStreams(t *testing.T) {
	r := newRig(t)
	w := r.words(2)
	r.code(1, "cuStreamCreate", w.At(0), 8)
	r.ok("cuCtxGetStreamPriorityRange", w.At(0), w.At(1))
	s := r.made("cuStreamCreateWithPriority", 1, uint64(1<<32-9))
	r.later("cuStreamDestroy_v2", s)
	r.ok("cuStreamGetPriority", s, w.At(0))
	r.ok("cuStreamGetFlags", s, w.At(1))
	if int32(w[0]) != -5 || uint32(w[1]) != 1 {
		t.Errorf("priority %d, flags %d", int32(w[0]), uint32(w[1]))
	}
	r.ok("cuStreamGetCtx", s, w.At(0))
	if w[0] != r.contexts[0] {
		t.Errorf("context %#x", w[0])
	}
	r.code(1, "cuStreamWriteValue32", s, 64, 1, 0)
	r.code(1, "cuStreamWaitValue32", s, r.alloc(8)+2, 1, 0)
	r.code(400, "cuStreamDestroy_v2", 0)
	// A stream may be destroyed before its work is done.
	m := r.module()
	flag, word := r.pinned(8)
	out := r.alloc(4)
	for turn := range 40 { // in some of which the stream is gone before the context is waited for, and in some it isn't
		word[0] = 0
		busy := r.made("cuStreamCreate", uint64(turn%2))
		r.launch(r.kernel(m, "spin"), busy, 1, flag, out)
		r.ok("cuStreamDestroy_v2", busy)
		word[0] = 1
		r.ok("cuCtxSynchronize")
		r.all(out, 1, s, 1)
	}
}

// Time is virtual: a queue of kernels that are appended without waiting stands still nowhere, one that waits for each
// does.
func TestFakeVirtualClock(t *testing.T) {
	log := filepath.Join(t.TempDir(), "timeline")
	t.Setenv("FAKECUDA_TIMELINE", log)
	r := newRig(t)
	m := r.module()
	set := r.kernel(m, "set")
	p := r.alloc(4000)
	for _, wait := range []bool{false, true} {
		s := r.stream()
		for range 50 {
			r.launch(set, s, 16, p, uint32(1000), uint32(1))
			if wait {
				r.ok("cuStreamSynchronize", s)
			}
		}
		r.ok("cuStreamSynchronize", s)
		gaps, works := r.fake.Gaps(s)
		if works != 50 || (gaps == 0) == wait || wait && gaps != 49*3000 {
			t.Errorf("waiting %v: %d works, idle for %d ns", wait, works, gaps)
		}
	}
	text, err := os.ReadFile(log)
	check(t, "the timeline", err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := map[int]uint64{}
	kernels := 0
	for _, line := range lines {
		var device, stream int
		var what string
		var start, end uint64
		if _, err := fmt.Sscan(line, &device, &stream, &what, &start, &end); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if start < last[stream] || end < start+2000 {
			t.Errorf("%q begins before its predecessor ended, or takes no time", line)
		}
		last[stream] = end
		if what == "set" {
			kernels++
		}
	}
	if kernels != 100 {
		t.Errorf("the timeline has %d kernels, want 100", kernels)
	}
}

func TestFakeLedgerFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger")
	t.Setenv("FAKECUDA_LEDGER", file)
	r := newRig(t)
	r.ok("cuCtxSynchronize")
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a ledger although nothing was wrong")
	}
	r.ok("cuMemFree_v2", 0)
	r.code(1, "cuMemFree_v2", 1<<20)
	text, err := os.ReadFile(file)
	check(t, "the ledger", err)
	if want := "cuMemFree: wrong free of 0x100000, where no memory of a device is\n"; string(text) != want {
		t.Errorf("got %q, want %q", text, want)
	}
	r.said("wrong free")
}
