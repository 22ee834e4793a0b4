package scheduler

import (
	"slices"

	"weft/tile"
)

// OpKind says what an op does with its index space.
type OpKind uint8

// The kinds of ops.
const (
	Map      OpKind = iota // every point on its own
	Reduce                 // one launch of the canonical order: blocks to one result each
	Contract               // a Reduce that is a sum of products: matrix products
	Scan                   // running combination along an axis
	Move                   // a Map that only moves or converts
	Fill                   // a Map without inputs
	Call                   // a named routine, or a grid of threads, over whole views: one task
)

var opKinds = [...]string{"map", "reduce", "contract", "scan", "move", "fill", "call"}

// String returns the kind's name in the text form.
func (k OpKind) String() string { return opKinds[k] }

// Access is how an op uses a view.
type Access uint8

// The ways to use a view. Write means that every element of the view is overwritten,
// none is read. Update means that the view is changed in place: all of it counts as read
// and as written. Calls update, and programs that store in some lanes.
const (
	Read Access = iota
	Write
	Update
)

var accesses = [...]string{"r", "w", "u"}

// String returns r, w or u.
func (a Access) String() string { return accesses[a] }

// Reads reports whether values from before the op are used.
func (a Access) Reads() bool { return a != Write }

// Writes reports whether the view has other values after the op.
func (a Access) Writes() bool { return a != Read }

// AccessOf is the access that a parameter of each direction needs.
var AccessOf = [...]Access{tile.In: Read, tile.Out: Write, tile.Update: Update}

// Use is one operand of an op, bound to the program's parameter of the same position. The
// view's rank is the op's: an axis that the operand does not have is a broadcast, with
// stride 0 and the index space's extent. For what a Reduce writes, the extents along
// reduced axes are those of the block grid. The views of a Call, and those that a program gathers
// from, have ranks and shapes of their own; they have elements. Each task uses all of them. The
// index space of a Call is one point, of rank 0.
type Use struct {
	View   View
	Access Access

	// Renews, of a write, says that it goes to a new instance of the store, while reads of the
	// same op find the values before it in the old one, at whatever points. The bytes outside
	// the view are carried over by an op that follows (see renew.go). Only fuse sets it.
	Renews bool
}

// Op is one operation on whole views, as the cell asked for it. The caller of Submit hands
// it over and must not change it afterwards.
type Op struct {
	ID        OpID   // given by Submit
	Kind      OpKind // also decides which operands partition together
	Name      string // as the user knows it: add, sum, matmul
	Shape     []int  // index space
	Reduced   tile.Axes
	Program   *tile.Program
	Uses      []Use // one per program parameter, in order
	Uniforms  []tile.Scalar
	Grid      *tile.Grid // of a program of threads; nil for others
	Where     Where
	Wanted    tile.Flags // of what goes wrong in it, what the program wants to know; no part of any key
	Told      tile.Flags // of these, what it has been told: the driver's own
	Asked     uint32     // the call of the program's that waits to be told, by a number of its own; 0 where none does
	Tells     string     // the name under which the program is told of it; "" for Name
	Continues *Op        // the op before it where it is a further step of the same operation, of which the program is told once; or nil
	Parts     []*Op      // the ops that were fused into this one, in order; nil for an op of the cell

	// Turns is, by part, the order of the axes in which its index space is coarser than this one; nil, for
	// a part or for all, where that is their own order.
	Turns [][]int

	Form *Form // shared by ops that are alike, or nil
}

// Form is shared by ops that differ in nothing but their IDs, stores, offsets, uniforms and places. The zero Form is
// ready for use. Its first op is checked in full, the others are taken at their word: loops over small arrays submit
// the same few forms over and over.
type Form struct {
	Known any // what the core has found out about the first op: its own
}

// Maker returns the op that the user wrote and that gives a store its last value: the op
// itself, or one of those that were fused into it.
func (op *Op) Maker(id StoreID) *Op {
	for i := len(op.Parts) - 1; i >= 0; i-- {
		for _, u := range op.Parts[i].Uses {
			if u.Access.Writes() && u.View.Store == id {
				return op.Parts[i]
			}
		}
	}
	return op
}

// Whole reports whether operand i has a shape of its own, and every task uses all of it.
func (op *Op) Whole(i int) bool { return op.Kind == Call || op.Program.Params[i].Axes > 0 }

// Extent returns the part of operand i that a tile with this origin and shape uses, in
// elements of the operand's view.
func (op *Op) Extent(i int, origin, shape, block []int) (at, n []int) {
	u := &op.Uses[i]
	switch {
	case op.Whole(i):
		return Origin(len(u.View.Shape)), u.View.Shape
	case u.Access != Write || block == nil || op.Reduced == 0:
		return origin, shape
	}
	at, n = slices.Clone(origin), slices.Clone(shape)
	for axis := range n {
		if op.Reduced.Has(axis) {
			at[axis] /= block[axis]
			n[axis] = (n[axis] + block[axis] - 1) / block[axis]
		}
	}
	return at, n
}

// Extent returns which elements of operand i a run task uses: where they begin in the view
// and how many there are along each axis.
func (t *Task) Extent(i int) (at, shape []int) { return t.Op.Extent(i, t.Origin, t.Shape, t.Block) }

// MaxAxes is how many axes an index space or a view has at most, as in NumPy.
const MaxAxes = 64

var origin [MaxAxes]int

// Origin is the origin of a whole op of so many axes: zeros, which all callers share and none may change.
func Origin(rank int) []int { return origin[:rank:rank] }
