//go:build cuda && cgo && linux

package driver

// #include "launch.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Graph is a batch's launches in a form that the driver starts at once, in their order. It takes other parameters, from
// one start to the next, but for the kernels, which stay the same.
type Graph struct {
	device          *Device
	graph, instance uint64
	nodes           []uint64
	batch           Batch // what the nodes have
	differ          []byte
	stale           bool // a start has failed: what the nodes have is not known
}

// NewGraph makes a graph of a batch of one launch or more. The caller closes it.
func (d *Device) NewGraph(b *Batch) (*Graph, error) {
	if d.closed.Load() {
		return nil, ErrClosed
	}
	n := len(b.launches)
	g := &Graph{device: d, nodes: make([]uint64, n), differ: make([]byte, n), batch: b.clone()}
	var done C.int
	rc := C.weft_cuda_graph_make(C.uint64_t(d.handle), (*C.weft_cuda_launch)(unsafe.Pointer(unsafe.SliceData(b.launches))), C.int(n),
		(*C.uint64_t)(unsafe.SliceData(b.params)), (*C.uint64_t)(&g.graph), (*C.uint64_t)(&g.instance),
		(*C.uint64_t)(unsafe.SliceData(g.nodes)), &done)
	if rc != 0 {
		call := fmt.Sprintf("cuGraphInstantiate (%d nodes)", n)
		if int(done) < n {
			call = fmt.Sprintf("cuGraphAddKernelNode (node %d of %d)", done+1, n)
		}
		return nil, failed(call, d.info.Ordinal, int(rc))
	}
	return g, nil
}

// Differ returns how many launches of a batch have other parameters or another grid than the graph was started with
// last. The batch has as many launches as the graph, of the same kernels.
func (g *Graph) Differ(b *Batch) (n int) {
	for i := range b.launches {
		if !g.batch.same(b, i) {
			n++
		}
	}
	return n
}

// LaunchGraph starts a batch by a graph that has been made of one of the same kernels, and records an event behind it.
// It reports whether the launches were started, which they are where only the event was not recorded; where they were
// not, the graph is of no use any more but to be closed.
func (q *Queue) LaunchGraph(g *Graph, b *Batch, e *Event) (started bool, err error) {
	if q.handle == 0 || q.device.closed.Load() || g.stale {
		return false, ErrClosed
	}
	for i := range b.launches {
		g.differ[i] = 0
		if !g.batch.same(b, i) {
			g.differ[i] = 1
		}
	}
	var done C.int
	rc := C.weft_cuda_graph_replay(C.uint64_t(q.device.handle), C.uint64_t(q.handle), C.uint64_t(g.instance),
		(*C.uint64_t)(unsafe.SliceData(g.nodes)), (*C.weft_cuda_launch)(unsafe.Pointer(unsafe.SliceData(b.launches))), C.int(len(b.launches)),
		(*C.uint64_t)(unsafe.SliceData(b.params)), (*C.uint8_t)(unsafe.SliceData(g.differ)), C.uint64_t(handleOf(e.event)), &done)
	started = done != 0
	if g.stale = !started; started {
		g.batch.take(b)
	}
	if rc != 0 {
		call := fmt.Sprintf("cuGraphLaunch (%d nodes)", len(b.launches))
		if started {
			call = "cuEventRecord"
		}
		return started, failed(call, q.device.info.Ordinal, int(rc))
	}
	return true, nil
}

// Close releases the graph, which may still be running.
func (g *Graph) Close() error {
	if g.device.closed.Load() || g.instance == 0 {
		return ErrClosed
	}
	instance := g.instance
	g.instance = 0
	if rc := C.weft_cuda_graph_close(C.uint64_t(g.device.handle), C.uint64_t(g.graph), C.uint64_t(instance)); rc != 0 {
		return failed("cuGraphExecDestroy", g.device.info.Ordinal, int(rc))
	}
	return nil
}
