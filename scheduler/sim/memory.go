package sim

import (
	"fmt"
	"time"

	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// computer runs launches on the reference device.
type computer struct {
	dev      *tile.Reference
	compiled map[*tile.Program]tile.Executable
}

func newComputer() *computer {
	return &computer{tile.NewReference(0, time.Time{}, tile.Routines{"weave": newWeave, "knit": newKnit}), map[*tile.Program]tile.Executable{}}
}

// alloc returns a buffer that is filled with a byte, so that what no task wrote shows.
func (c *computer) alloc(n int64, fill byte) (tile.Buffer, error) {
	b, err := c.dev.Alloc(max(n, 1))
	if err == nil {
		for i := range b.Bytes() {
			b.Bytes()[i] = fill
		}
	}
	return b, err
}

// run runs one tile of an op. at gives the buffer and the offset of each operand.
func (c *computer) run(op *scheduler.Op, shape, origin, block []int, at []tile.Binding) error {
	exe := c.compiled[op.Program]
	if exe == nil {
		var err error
		if exe, err = c.dev.Compile(op.Program); err != nil {
			return err
		}
		c.compiled[op.Program] = exe
	}
	for i := range at {
		at[i].Strides = op.Uses[i].View.Strides
		if op.Whole(i) {
			at[i].Shape = op.Uses[i].View.Shape
		}
	}
	var grid tile.Grid
	if op.Grid != nil {
		grid = *op.Grid
	}
	var done tile.Completion
	c.dev.Launch(tile.Inline, &tile.Launch{
		Exe: exe, Program: op.Program, Shape: shape, Origin: origin, Args: at,
		Uniforms: op.Uniforms, Block: block, Reduced: op.Reduced, Grid: grid,
	}, func(d tile.Completion) { done = d })
	return done.Err
}

// oracle runs ops whole and in order.
type oracle struct {
	*computer
	stores map[scheduler.StoreID]tile.Buffer
	sizes  map[scheduler.StoreID]int64
}

func newOracle(c *computer) *oracle {
	return &oracle{c, map[scheduler.StoreID]tile.Buffer{}, map[scheduler.StoreID]int64{}}
}

func (o *oracle) store(id scheduler.StoreID, bytes int64) error {
	b, err := o.alloc(bytes, 0)
	o.stores[id], o.sizes[id] = b, bytes
	return err
}

func (o *oracle) op(op *scheduler.Op) error {
	var block []int
	if op.Program.Reduces() {
		block = scheduler.Blocks(op.Kind, op.Shape, op.Reduced)
	}
	var at []tile.Binding
	for _, u := range op.Uses {
		at = append(at, tile.Binding{Buffer: o.stores[u.View.Store], Offset: u.View.Offset})
	}
	return o.run(op, op.Shape, make([]int, len(op.Shape)), block, at)
}

func (o *oracle) bytes(id scheduler.StoreID) []byte { return o.stores[id].Bytes()[:o.sizes[id]] }

func (o *oracle) release(id scheduler.StoreID) {
	o.dev.Free(o.stores[id])
	delete(o.stores, id)
}

// taint is what the failures of tasks do to the bytes of one instance, when the plan's
// tasks run one by one: must holds the elements that have no value; may holds the bytes that
// the core, which reasons with footprints, may take for such.
type taint struct{ must, may region.Set }

// taints follows a plan in the order of its tasks.
type taints struct {
	at    map[scheduler.InstanceID]*taint
	fails func(*scheduler.Task) bool
}

func (x *taints) of(inst *scheduler.Instance) *taint {
	t := x.at[inst.ID]
	if t == nil {
		t = new(taint)
		x.at[inst.ID] = t
	}
	return t
}

func (x *taints) plan(p *scheduler.Plan) {
	for _, t := range p.Tasks {
		switch t.Kind {
		case scheduler.Free:
			delete(x.at, t.Src.ID)
		case scheduler.Copy:
			x.copy(t)
		case scheduler.Run:
			x.run(t)
		}
	}
}

func (x *taints) copy(t *scheduler.Task) {
	from, to := x.of(t.Src), x.of(t.Dst)
	move := func(dst, src *region.Set) {
		for i := range t.Part().N {
			bytes := t.Part().Tooth(i)
			dst.Remove(bytes)
			for _, p := range src.Common(bytes, nil) {
				dst.Add(p)
			}
			if x.fails(t) {
				dst.Add(bytes)
			}
		}
	}
	move(&to.must, &from.must)
	move(&to.may, &from.may)
}

func (x *taints) run(t *scheduler.Task) {
	must, may := x.fails(t), x.fails(t)
	for i, a := range t.Args {
		if a.Access.Reads() {
			exact, hull := elements(t, i)
			tn := x.of(a.Instance)
			for _, p := range exact.Intervals() {
				must = must || len(tn.must.Common(p, nil)) > 0
			}
			may = may || len(tn.may.Common(hull, nil)) > 0
		}
	}
	for i, a := range t.Args {
		if a.Access.Writes() {
			exact, hull := elements(t, i)
			tn := x.of(a.Instance)
			dense := exact.Covers(hull)
			for _, p := range exact.Intervals() {
				tn.must.Remove(p)
				if must {
					tn.must.Add(p)
				}
			}
			if dense {
				tn.may.Remove(hull)
			}
			if may {
				tn.may.Add(hull)
			}
		}
	}
}

// elements returns the bytes of the elements that a run uses through an operand, one by
// one, and their hull.
func elements(t *scheduler.Task, i int) (exact region.Set, hull region.Interval) {
	v := &t.Op.Uses[i].View
	at, shape := t.Extent(i)
	n := 1
	for _, s := range shape {
		n *= s
	}
	for k := range n {
		offset := v.Offset
		for axis, rest := len(shape)-1, k; axis >= 0; axis-- {
			offset += int64(at[axis]+rest%shape[axis]) * v.Strides[axis]
			rest /= shape[axis]
		}
		e := region.Interval{Lo: offset, Hi: offset + int64(v.Type.Size())}
		exact.Add(e)
		hull = hull.Hull(e)
	}
	return exact, hull
}

// firstDifference says where two byte slices differ.
func firstDifference(got, want []byte, lo int64) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d is %#02x, wanted %#02x", lo+int64(i), got[i], want[i])
		}
	}
	return nil
}
