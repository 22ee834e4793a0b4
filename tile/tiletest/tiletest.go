package tiletest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/tile"
)

// Run tests a device. open starts a new one, without a memory limit or with one of at least
// 64 MiB; Run closes it. Where parts are named, only these are run.
func Run(t *testing.T, open func() tile.Device, only ...string) {
	run(t, nil, open, only)
}

// run is Run, with what the reference is known to answer.
func run(t *testing.T, answers *Answers, open func() tile.Device, only []string) {
	for _, part := range []struct {
		name string
		run  func(*bench)
	}{
		{"opcodes", testOpcodes},
		{"bits", testBits},
		{"casts", testCasts},
		{"select", testSelect},
		{"scalars", testScalars},
		{"index", testIndex},
		{"pcg64", testDraws(tile.PCG64)},
		{"philox", testDraws(tile.Philox)},
		{"alignments", testAlignments},
		{"planes", testPlanes},
		{"turned", testTurned},
		{"in place", testInPlace},
		{"random programs", testRandomPrograms},
		{"random expressions", testExpressions},
		{"again", testAgain},
		{"reduce", testReduce},
		{"lanes", testLanes},
		{"reduce several", testReduceSeveral},
		{"reduce tiles", testReduceTiles},
		{"product", testProduct},
		{"control flow", testFlow},
		{"random control flow", testRandomFlow},
		{"gather", testGather},
		{"out of bounds", testOutOfBounds},
		{"stop", testStop},
		{"threads", testThreads},
		{"grids", testGrids},
		{"queues", testQueues},
		{"ordered", testOrdered},
		{"concurrent", testConcurrent},
		{"copy", testCopy},
		{"refusals", testRefusals},
		{"memory", testMemory},
	} {
		if len(only) > 0 && !slices.Contains(only, part.name) {
			continue
		}
		t.Run(part.name, func(t *testing.T) {
			b := newBench(t, open())
			b.answers, b.open = answers, open
			part.run(b)
			if err := b.dev.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			b.close()
		})
	}
}

// bench holds the device under test and the reference, whose memory is also the staging
// area for copies.
type bench struct {
	*testing.T
	answers *Answers // nil: each trial is asked
	open    func() tile.Device
	dev     tile.Device
	ref     *tile.Reference
	stages  *stages
}

func newBench(t *testing.T, dev tile.Device) *bench {
	ref := tile.NewReference(0, time.Now(), nil)
	return &bench{T: t, dev: dev, ref: ref, stages: &stages{ref: ref}}
}

// of is the bench for a part of its test.
func (b *bench) of(t *testing.T) *bench {
	c := *b
	c.T = t
	return &c
}

// close ends the reference.
func (b *bench) close() {
	b.Helper()
	b.stages.close()
	if err := b.ref.Close(); err != nil {
		b.Errorf("Close: %v", err)
	}
}

// queue returns the queue that ordinary launches use.
func (b *bench) queue() int {
	if b.dev.Info().Inline {
		return tile.Inline
	}
	return 0
}

// wait runs start and returns what done was called with; it fails if that was more than
// once.
func (b *bench) wait(start func(done func(tile.Completion))) tile.Completion {
	b.Helper()
	calls := make(chan tile.Completion, 2)
	start(func(c tile.Completion) { calls <- c })
	c := <-calls
	select {
	case <-calls:
		b.Error("done was called twice")
	default:
	}
	if c.End < c.Start {
		b.Errorf("a completion ends at %d, before its start at %d", c.End, c.Start)
	}
	return c
}

// alloc returns a device buffer with the given contents.
func (b *bench) alloc(dev tile.Device, contents []byte) tile.Buffer {
	b.Helper()
	buf, err := dev.Alloc(int64(len(contents)))
	if err != nil {
		b.Fatalf("Alloc(%d): %v", len(contents), err)
	}
	b.upload(dev, buf, contents)
	return buf
}

func (b *bench) transfer(dev tile.Device, tr *tile.Transfer) {
	b.Helper()
	if c := b.wait(func(done func(tile.Completion)) { dev.Copy(b.queue(), tr, done) }); c.Err != nil {
		b.Fatalf("Copy: %v", c.Err)
	}
}

// trial is one launch to be compared. Memory holds the contents of the buffers; args says
// which buffer each parameter lies in, and where.
type trial struct {
	program  *tile.Program
	shape    []int
	origin   []int
	uniforms []tile.Scalar
	block    []int
	reduced  tile.Axes
	product  bool
	whole    map[int][]int // by whole parameter: its shape
	memory   [][]byte
	args     []arg
	counted  []int // operands of a routine of which operand 2 says how many elements there are
	accept   tolerance
	compiled map[tile.Device]tile.Executable // where a trial is one of several of its program
}

// arg places a parameter.
type arg struct {
	buffer  int
	offset  int64
	strides []int64
	shape   []int // of a whole parameter
}

func (tr *trial) String() string {
	s := fmt.Sprintf("%vshape %v origin %v block %v reduced %b", tr.program, tr.shape, tr.origin, tr.block, tr.reduced)
	for i, a := range tr.args {
		s += fmt.Sprintf("\np%d: buffer %d of %d bytes, offset %d, strides %v, shape %v", i, a.buffer, len(tr.memory[a.buffer]), a.offset, a.strides, a.shape)
	}
	return s
}

// on runs the trial on a device and returns the buffers afterwards.
func (tr *trial) on(b *bench, dev tile.Device) [][]byte {
	b.Helper()
	exe, ok := tr.compiled[dev]
	if !ok {
		var err error
		if exe, err = dev.Compile(tr.program); err != nil {
			b.Fatalf("Compile: %v\n%v", err, tr.program)
		}
		if tr.compiled != nil {
			tr.compiled[dev] = exe
		}
	}
	l := tr.launch(exe)
	buffers := make([]tile.Buffer, len(tr.memory))
	for i, m := range tr.memory {
		buffers[i] = b.alloc(dev, m)
	}
	for i := range l.Args {
		l.Args[i].Buffer = buffers[tr.args[i].buffer]
	}
	if c := b.wait(func(done func(tile.Completion)) { dev.Launch(b.queueOf(dev), l, done) }); c.Err != nil {
		b.Fatalf("Launch: %v\n%v", c.Err, tr)
	}
	after := make([][]byte, len(buffers))
	for i, buf := range buffers {
		after[i] = b.download(dev, buf, len(tr.memory[i]))
		dev.Free(buf)
	}
	return after
}

func (b *bench) queueOf(dev tile.Device) int {
	if dev.Info().Inline {
		return tile.Inline
	}
	return 0
}

func (tr *trial) launch(exe tile.Executable) *tile.Launch {
	l := &tile.Launch{Exe: exe, Program: tr.program, Shape: tr.shape, Origin: tr.origin, Uniforms: tr.uniforms, Block: tr.block, Reduced: tr.reduced, Product: tr.product}
	if l.Origin == nil {
		l.Origin = make([]int, len(l.Shape))
	}
	for _, a := range tr.args {
		l.Args = append(l.Args, tile.Binding{Offset: a.offset, Strides: a.strides, Shape: a.shape})
	}
	return l
}

// compare runs the trial on both devices; false means that they differ, which it reports.
func (b *bench) compare(tr *trial) bool {
	b.Helper()
	want, got := b.answers.to(tr, func() [][]byte { return tr.on(b, b.ref) }), tr.on(b, b.dev)
	for i := range want {
		if !b.equal(tr, i, want[i], got[i]) {
			return false
		}
	}
	return true
}

// equal compares a buffer: the elements of the output parameters by value, all other bytes
// as they are.
func (b *bench) equal(tr *trial, buffer int, want, got []byte) bool {
	b.Helper()
	for p, param := range tr.program.Params {
		a := &tr.args[p]
		if !param.Dir.Writes() || a.buffer != buffer {
			continue
		}
		size := int64(param.Type.Size())
		for point := range points(tr.outputShape()) {
			at := a.offset
			for k, c := range point {
				at += int64(c) * a.strides[k]
			}
			w, g := decode(param.Type, want[at:]), decode(param.Type, got[at:])
			if d := tr.accept.distance(w, g); d > tr.accept.limit(param.Type) {
				b.Errorf("p%d at %v: got %v, want %v (%.3g ulp; at most %v)\n%v%s", p, point, g, w, d, tr.accept.limit(param.Type), tr, tr.inputs(point))
				return false
			}
			copy(got[at:at+size], want[at:at+size]) // so that only other bytes differ below
		}
	}
	for i := range want {
		if want[i] != got[i] {
			b.Errorf("byte %d of buffer %d, which belongs to no output element, changed from %#x to %#x\n%v", i, buffer, tr.memory[buffer][i], got[i], tr)
			return false
		}
	}
	return true
}

// outputShape is the shape of the output parameters.
func (tr *trial) outputShape() []int {
	if tr.program.Reduces() {
		return tile.GridShape(tr.shape, tr.block)
	}
	return tr.shape
}

// inputs shows the operands of a point, for messages.
func (tr *trial) inputs(point []int) string {
	if tr.program.Reduces() {
		return ""
	}
	s := ""
	for p, param := range tr.program.Params {
		if param.Dir == tile.In && param.Axes == 0 {
			at := tr.args[p].offset
			for k, c := range point {
				at += int64(c) * tr.args[p].strides[k]
			}
			s += fmt.Sprintf("\np%d there: %v", p, decode(param.Type, tr.memory[tr.args[p].buffer][at:]))
		}
	}
	return s
}
