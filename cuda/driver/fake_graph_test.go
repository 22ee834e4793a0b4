//go:build cuda && cgo && linux

package driver

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// nodeParams makes the description of a kernel node: one dimension of blocks of 64 threads.
func (r *rig) nodeParams(f uint64, blocks int, params ...any) uint64 {
	w := r.words(7)
	w[0] = f
	w[1] = uint64(blocks) | 1<<32
	w[2] = 1 | 64<<32
	w[3] = 1 | 1<<32
	w[6] = r.extra(params...)
	return w.At(0)
}

func (r *rig) list(handles ...uint64) uint64 {
	w := r.words(len(handles) + 1)
	copy(w, handles)
	return w.At(0)
}

func (r *rig) kernelNode(g uint64, deps []uint64, params uint64) uint64 {
	r.Helper()
	return r.made("cuGraphAddKernelNode", g, r.list(deps...), uint64(len(deps)), params)
}

func (r *rig) instance(g uint64) uint64 {
	r.Helper()
	x := r.made("cuGraphInstantiateWithFlags", g, 0)
	r.later("cuGraphExecDestroy", x)
	return x
}

func TestFakeGraphs(t *testing.T) {
	for seed := range uint64(20) {
		r := newRig(t)
		s := r.stream()
		m := r.module()
		set, add := r.kernel(m, "set"), r.kernel(m, "add")
		p, q := r.alloc(400), r.alloc(400)
		h, host := r.pinned(400)
		counts := r.words(1)
		r.fake.Seed(seed)

		g := r.made("cuGraphCreate", 0)
		a := r.kernelNode(g, nil, r.nodeParams(set, 2, p, uint32(100), uint32(1)))
		fill := r.words(6)
		fill[0], fill[1], fill[2], fill[3], fill[4] = q, 0, 2|4<<32, 100, 1
		b := r.made("cuGraphAddMemsetNode", g, 0, 0, fill.At(0), r.contexts[0])
		c := r.kernelNode(g, []uint64{a, b}, r.nodeParams(add, 2, p, q, uint32(100)))
		e := r.made("cuGraphAddEmptyNode", g, r.list(c), 1)
		copying := r.words(32)
		copy(copying, []uint64{0, 0, 0, 0, 2, 0, p, 0, 0, 400, 1, 0, 0, 0, 0, 1, h, 0, 0, 0, 400, 1, 400, 1, 1})
		d := r.made("cuGraphAddMemcpyNode", g, r.list(e), 1, copying.At(0), r.contexts[0])
		call := r.words(2)
		call[0], call[1] = r.fake.Symbol("fakecuda_count"), counts.At(0)
		f := r.made("cuGraphAddHostNode", g, 0, 0, call.At(0))
		r.ok("cuGraphAddDependencies", g, r.list(d), r.list(f), 1)
		r.code(1, "cuGraphAddDependencies", g, r.list(f), r.list(a), 1) // a circle
		n := r.words(1)
		r.ok("cuGraphGetNodes", g, 0, n.At(0))
		if n[0] != 6 {
			t.Errorf("%d nodes, want 6", n[0])
		}
		r.ok("cuGraphGetRootNodes", g, 0, n.At(0))
		if n[0] != 2 {
			t.Errorf("%d roots, want 2", n[0])
		}
		r.ok("cuGraphGetEdges", g, 0, 0, n.At(0))
		if n[0] != 5 {
			t.Errorf("%d edges, want 5", n[0])
		}

		x := r.instance(g)
		for i := range 3 {
			r.ok("cuGraphLaunch", x, s)
			r.ok("cuStreamSynchronize", s)
			if host[0] != 3 || host[396] != 3 || counts[0] != uint64(i+1) {
				t.Fatalf("seed %d: got %d, %d; %d calls", seed, host[0], host[396], counts[0])
			}
		}
		// Other parameters, for launches from now on.
		r.ok("cuGraphLaunch", x, s)
		r.ok("cuGraphExecKernelNodeSetParams", x, a, r.nodeParams(set, 2, p, uint32(100), uint32(10)))
		r.ok("cuStreamSynchronize", s)
		if host[0] != 3 {
			t.Errorf("a launch had the parameters of a later call: %d", host[0])
		}
		r.ok("cuGraphLaunch", x, s)
		r.ok("cuStreamSynchronize", s)
		if host[0] != 12 {
			t.Errorf("got %d, want 12", host[0])
		}
		r.code(1, "cuGraphExecKernelNodeSetParams", x, b, r.nodeParams(set, 2, p, uint32(100), uint32(10)))
		r.said("the node is not one of this executable graph")

		// An update takes a graph of the same form.
		same := r.made("cuGraphClone", g)
		why := r.words(3)
		r.ok("cuGraphExecUpdate_v2", x, same, why.At(0))
		r.ok("cuGraphLaunch", x, s)
		r.ok("cuStreamSynchronize", s)
		if host[0] != 3 {
			t.Errorf("got %d after the update, want 3", host[0])
		}
		r.made("cuGraphAddEmptyNode", same, 0, 0)
		r.code(910, "cuGraphExecUpdate_v2", x, same, why.At(0))
		if int32(why[0]) != 2 {
			t.Errorf("result %d, want 2 (the topology changed)", int32(why[0]))
		}
		r.ok("cuGraphDestroy", same)

		// A graph inside of a graph.
		outer := r.made("cuGraphCreate", 0)
		before := r.kernelNode(outer, nil, r.nodeParams(set, 2, q, uint32(100), uint32(50)))
		child := r.made("cuGraphAddChildGraphNode", outer, r.list(before), 1, g)
		r.kernelNode(outer, []uint64{child}, r.nodeParams(add, 2, q, p, uint32(100)))
		y := r.instance(outer)
		r.ok("cuGraphLaunch", y, s)
		r.all(q, 100, s, 5)
		r.ok("cuGraphDestroy", outer)
		r.ok("cuGraphDestroyNode", c)
		r.ok("cuGraphDestroy", g)
		r.code(1, "cuGraphDestroy", g)
		r.said("cuGraphDestroy: the graph was destroyed")
		r.finish()
	}
}

// A graph that names what is gone is refused.
func TestFakeGraphOfTheGone(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "the kernels", err)
	m := r.made("cuModuleLoadData", r.text(string(text)))
	flag, word := r.pinned(8)
	out := r.alloc(4)
	g := r.made("cuGraphCreate", 0)
	r.kernelNode(g, nil, r.nodeParams(r.kernel(m, "spin"), 1, flag, out))
	x := r.instance(g)
	r.ok("cuGraphLaunch", x, s)
	r.ok("cuLaunchHostFunc", r.stream(), r.fake.Symbol("fakecuda_count"), flag)
	r.ok("cuModuleUnload", m)
	r.said("cuModuleUnload: spin, a kernel of it, has still to run")
	if word[0] != 1 {
		t.Error("the module went before its kernel had run")
	}
	r.code(400, "cuGraphLaunch", x, s)
	r.said("cuGraphLaunch: the function was destroyed")
	r.ok("cuGraphDestroy", g)
}

// Nodes without a path between them race, in whatever order they ran.
func TestFakeGraphRaces(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	set := r.kernel(m, "set")
	p := r.alloc(400)
	g := r.made("cuGraphCreate", 0)
	a := r.kernelNode(g, nil, r.nodeParams(set, 2, p, uint32(100), uint32(1)))
	b := r.kernelNode(g, nil, r.nodeParams(set, 2, p, uint32(100), uint32(2)))
	x := r.instance(g)
	r.ok("cuGraphLaunch", x, s)
	r.ok("cuStreamSynchronize", s)
	r.said("race: set")
	r.ok("cuGraphAddDependencies", g, r.list(a), r.list(b), 1)
	y := r.instance(g)
	r.ok("cuGraphLaunch", y, s)
	r.ok("cuGraphLaunch", y, s)
	r.all(p, 100, s, 2)
	r.said()
	r.ok("cuGraphDestroy", g)
}

func TestFakeCapture(t *testing.T) {
	r := newRig(t)
	s, other := r.stream(), r.stream()
	m := r.module()
	set, add := r.kernel(m, "set"), r.kernel(m, "add")
	p, q := r.alloc(400), r.alloc(400)
	e1, e2 := r.event(), r.event()
	w := r.words(2)
	r.ok("cuStreamBeginCapture_v2", s, 0)
	r.code(401, "cuStreamBeginCapture_v2", s, 0)
	r.launch(set, s, 2, p, uint32(100), uint32(1))
	r.ok("cuEventRecord", e1, s)
	r.ok("cuStreamWaitEvent", other, e1, 0)
	r.launch(set, other, 2, q, uint32(100), uint32(2))
	r.ok("cuEventRecord", e2, other)
	r.ok("cuStreamWaitEvent", s, e2, 0)
	r.launch(add, s, 2, p, q, uint32(100))
	r.ok("cuStreamIsCapturing", s, w.At(0))
	if uint32(w[0]) != 1 {
		t.Errorf("capture status %d", uint32(w[0]))
	}
	r.ok("cuStreamEndCapture", s, w.At(0))
	g := w[0]
	x := r.instance(g)
	r.ok("cuStreamQuery", s) // nothing has run
	r.ok("cuGraphLaunch", x, s)
	r.all(p, 100, s, 3)
	r.ok("cuGraphGetNodes", g, 0, w.At(0))
	if w[0] != 3 {
		t.Errorf("%d nodes, want 3", w[0])
	}
	r.ok("cuGraphDestroy", g)

	for _, c := range []struct {
		name string
		run  func()
		end  int
		said []string
	}{
		{"work that is not joined", func() {
			r.ok("cuEventRecord", e1, s)
			r.launch(set, s, 2, p, uint32(100), uint32(1))
			r.ok("cuEventRecord", e1, s)
			r.ok("cuStreamWaitEvent", other, e1, 0)
			r.launch(set, other, 2, q, uint32(100), uint32(2))
		}, 904, nil},
		{"waiting for the stream", func() { r.code(900, "cuStreamSynchronize", s) }, 901, []string{"cuStreamSynchronize: not permitted"}},
		{"asking the stream", func() { r.code(900, "cuStreamQuery", s) }, 901, []string{"cuStreamQuery: not permitted"}},
		{"waiting for the context", func() { r.code(900, "cuCtxSynchronize") }, 901, []string{"cuCtxSynchronize: not permitted"}},
		{"allocating", func() { r.code(900, "cuMemAlloc_v2", w.At(1), 8) }, 901, []string{"cuMemAlloc: not permitted"}},
		{"asking an event of the capture", func() { r.ok("cuEventRecord", e1, s); r.code(907, "cuEventQuery", e1) }, 0, nil},
		{"the legacy stream, which has nothing to do with it", func() { r.ok("cuMemsetD8Async", p, 0, 4, 0) }, 0, nil},
		{"work from outside", func() { r.ok("cuEventRecord", e2, other); r.code(905, "cuStreamWaitEvent", s, e2, 0) }, 901, nil},
		{"the wrong stream", func() { r.code(401, "cuStreamEndCapture", other, w.At(0)) }, 0, nil},
		{"after the end of it", func() { r.code(900, "cuStreamQuery", s); r.code(901, "cuMemsetD8Async", p, 0, 4, s) }, 901, []string{"cuStreamQuery"}},
	} {
		r.ok("cuStreamBeginCapture_v2", s, 0)
		c.run()
		if got := r.fake.Call("cuStreamEndCapture", s, w.At(0)); got != c.end {
			t.Errorf("%s: the capture ends with %d, want %d", c.name, got, c.end)
		}
		if c.end == 0 {
			r.ok("cuGraphDestroy", w[0])
		} else if w[0] != 0 {
			t.Errorf("%s: there is a graph", c.name)
		}
		r.said(c.said...)
	}
	r.ok("cuStreamBeginCapture_v2", s, 2) // relaxed
	r.ok("cuMemAlloc_v2", w.At(1), 8)
	r.ok("cuMemFree_v2", w[1])
	r.ok("cuStreamEndCapture", s, w.At(0))
	r.ok("cuGraphDestroy", w[0])
	r.code(900, "cuStreamBeginCapture_v2", 0, 0)
	blocking := r.made("cuStreamCreate", 0)
	r.later("cuStreamDestroy_v2", blocking)
	r.ok("cuStreamBeginCapture_v2", blocking, 0)
	r.code(906, "cuMemsetD8Async", p, 0, 4, 0)
	r.code(901, "cuStreamEndCapture", blocking, w.At(0))
	r.said("cuMemsetD8Async: not permitted")
	r.ok("cuEventRecord", e1, s)
	r.ok("cuEventRecord", e2, other)
}

// The nodes of a graph follow each other without gaps, and so do graphs.
func TestFakeGraphTime(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	m := r.module()
	p := r.alloc(400)
	g := r.made("cuGraphCreate", 0)
	var deps []uint64
	for i := range 10 {
		deps = []uint64{r.kernelNode(g, deps, r.nodeParams(r.kernel(m, "set"), 2, p, uint32(100), uint32(i)))}
	}
	x := r.instance(g)
	e1, e2 := r.event(), r.event()
	r.ok("cuGraphLaunch", x, s)
	r.ok("cuEventRecord", e1, s)
	r.ok("cuGraphLaunch", x, s)
	r.ok("cuEventRecord", e2, s)
	r.all(p, 100, s, 9)
	ms := r.words(1)
	r.ok("cuEventElapsedTime", ms.At(0), e1, e2)
	if got := fmt.Sprintf("%.3f", f32(ms[0])); got != "0.020" {
		t.Errorf("ten kernels of 2 us took %s ms", got)
	}
	if gaps, works := r.fake.Gaps(s); gaps != 0 || works < 2 {
		t.Errorf("%d works, idle for %d ns", works, gaps)
	}
	r.ok("cuGraphDestroy", g)
	if lines := r.fake.Ledger(); len(lines) > 0 {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
}
