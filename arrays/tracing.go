package arrays

import (
	"errors"
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// tracer is a Context whose runtime computes nothing and keeps the ops that are submitted. By it the general functions
// show what they make of operands of certain layouts, so that nothing else has to know.
type tracer struct {
	*Context
	*traceRuntime
}

// newTracer returns the tracer of a context, with which it shares what depends on dtypes alone.
func newTracer(c *Context) *tracer {
	p := &traceRuntime{}
	return &tracer{&Context{
		Exact: true, Warns: true, rt: p, resolved: c.resolved, programs: c.programs, routines: c.routines,
		known: map[scheduler.StoreID]facts{}, bytewise: bytewise{}, dropped: &dropQueue{}, unit: c.unit,
	}, p}
}

// prototypeStore is the store of the output of a pattern, and of the operands near it.
const prototypeStore, otherStore scheduler.StoreID = 1, 2

// begin forgets what was submitted.
func (s *tracer) begin() {
	s.ops, s.last = nil, otherStore
}

// operand returns a stand-in for an operand, nil for none.
func (s *tracer) operand(o *PatternOperand, out, other *store, layout func(LayoutID) *Layout) *Value {
	switch {
	case o.Layout != NoLayout && o.Near:
		return &Value{Kind: ArrayValue, Array: s.standIn(layout(o.Layout), out, o.Away)}
	case o.Layout != NoLayout:
		return &Value{Kind: ArrayValue, Array: s.standIn(layout(o.Layout), other, 0)}
	case o.Kind == Missing:
		return nil
	case o.Two:
		return &Value{Kind: IntValue, Int: 2}
	}
	return &Value{Kind: o.Kind, Int: 1, Float: 1, DType: o.Type}
}

// standIn returns an array of a layout.
func (s *tracer) standIn(f *Layout, on *store, at int64) *Array {
	return &Array{
		c: s.Context, store: on, size: f.Size, contiguous: f.Contiguous,
		view: scheduler.View{Store: on.id, Type: f.Type, Offset: at, Shape: f.Shape, Strides: f.Strides},
	}
}

// perform does what a pattern says and returns the array that it writes.
func (s *tracer) perform(p *Pattern, x, y *Value, out *Array) (*Array, error) {
	switch {
	case !p.Assign:
		return s.apply(p.Ufunc, x, y, out, tile.Invalid)
	case out != nil:
		return out, s.SetItem(out, Value{Kind: EllipsisValue}, *x)
	case x.Array.Ndim() > 0:
		return s.copyOf(x.Array)
	}
	return nil, errTraced // a copy of a scalar is one, that of an array is not
}

// errTraced is what everything fails with that needs a value.
var errTraced = errors.New("arrays: an operation that is traced has no values")

// traceRuntime is the runtime of a tracer.
type traceRuntime struct {
	ops  []*scheduler.Op
	last scheduler.StoreID
}

func (p *traceRuntime) NewStore(int64) scheduler.StoreID { p.last++; return p.last }

func (p *traceRuntime) Submit(op *scheduler.Op) error { p.ops = append(p.ops, op); return nil }

func (p *traceRuntime) Free(scheduler.StoreID) {}

func (p *traceRuntime) Write(scheduler.StoreID, []byte) error { return errTraced }

func (p *traceRuntime) Lend(scheduler.StoreID, unsafe.Pointer, func()) error { return errTraced }

func (p *traceRuntime) TakeOver(scheduler.StoreID, unsafe.Pointer, func()) error { return errTraced }

func (p *traceRuntime) Read(scheduler.View, []byte, <-chan struct{}) error { return errTraced }

func (p *traceRuntime) Map(scheduler.View, bool, <-chan struct{}) (unsafe.Pointer, func(), error) {
	return nil, nil, errTraced
}

func (p *traceRuntime) Sync(<-chan struct{}) error { return errTraced }
