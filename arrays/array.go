package arrays

import (
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// Array is a view of a store, as NumPy's ndarray is. Its shape, strides and dtype never
// change.
type Array struct {
	// Scalar says that NumPy would have returned a NumPy scalar instead of an array of no
	// dimensions: full reductions, indexing that ends at one element.
	Scalar bool

	c          *Context
	store      *store // nil after Free
	view       scheduler.View
	size       int
	contiguous bool // in C order without gaps
	readonly   bool
	locked     bool     // readonly only because SetWritable said so
	meets      bool     // readonly only because elements overlap each other: the program may write them, by NumPy
	layout     LayoutID // where it is not older than the Context's table; see LayoutOf
}

// Shape returns the extents. The slice must not be changed.
func (a *Array) Shape() []int { return a.view.Shape }

// Strides returns the bytes between neighbours along each axis. The slice must not be changed.
func (a *Array) Strides() []int64 { return a.view.Strides }

// DType returns the type of the elements.
func (a *Array) DType() tile.DType { return a.view.Type }

// Ndim returns the number of axes.
func (a *Array) Ndim() int { return len(a.view.Shape) }

// Size returns the number of elements.
func (a *Array) Size() int { return a.size }

// Contiguous reports whether the elements lie in C order without gaps.
func (a *Array) Contiguous() bool { return a.contiguous }

// Writable reports whether the program may assign to the array; to broadcasts and diagonals it may not.
func (a *Array) Writable() bool { return !a.readonly || a.meets }

// Writing is how the program may write an array.
type Writing uint8

const (
	Writes      Writing = iota
	WritesNot           // at all
	WritesApart         // only by NumPy, as elements overlap each other
)

// Writing returns how the program may write the array.
func (a *Array) Writing() Writing {
	switch {
	case !a.readonly:
		return Writes
	case a.meets:
		return WritesApart
	}
	return WritesNot
}

// refuse is the error that an array is not to be written to, in NumPy's words; nil where it may be. Elements that
// overlap each other are left to NumPy.
func (a *Array) refuse(text string) error {
	switch a.Writing() {
	case Writes:
		return nil
	case WritesApart:
		return &Fallback{"writing elements that overlap each other"}
	}
	return errorf("ValueError", "%s", text)
}

// Allow lets the program write a view of an array that it may write.
func (a *Array) Allow() {
	a.readonly, a.locked = meetsItself(a.view), false
	a.meets = a.readonly
}

// SetWritable forbids assignments to this array and to views that are made of it from now
// on, or allows again what it has forbidden.
func (a *Array) SetWritable(on bool) error {
	switch {
	case !on:
		a.locked = a.locked || a.Writable()
		a.readonly, a.meets = true, false
	case a.meets:
	case a.readonly && a.locked && meetsItself(a.view):
		a.meets, a.locked = true, false
	case a.readonly && !a.locked:
		return errorf("ValueError", "cannot set WRITEABLE flag to True of this array")
	default:
		a.readonly, a.locked = false, false
	}
	return nil
}

// Whole reports whether the array views all of its store in order.
func (a *Array) Whole() bool {
	return a.contiguous && a.StoreBytes() == int64(max(a.size, 1)*a.view.Type.Size())
}

// Tag is what the caller knows the array's store by, such as a number that its views have in
// common; 0 before the first SetTag.
func (a *Array) Tag() uint64 { return a.store.tag }

// SetTag sets what Tag returns for this array and for all others over its store.
func (a *Array) SetTag(tag uint64) { a.store.tag = tag }

// Alone reports whether no other array views the store.
func (a *Array) Alone() bool { return a.store != nil && a.store.refs == 1 }

// View returns the array as ops see it.
func (a *Array) View() scheduler.View { return a.view }

// StoreBytes returns the size of the store that the array views.
func (a *Array) StoreBytes() int64 {
	if a.store == nil {
		return 0
	}
	return a.store.bytes
}

// Shares reports whether two arrays view the same store.
func (a *Array) Shares(b *Array) bool { return a.store != nil && a.store == b.store }

// Free gives the array's reference to its store back. The array must not be used
// afterwards; freeing it twice does nothing.
func (a *Array) Free() {
	if a.store == nil {
		return
	}
	s := a.store
	a.store = nil
	a.c.release(s)
}

// sub returns another view of the array's store, which may be written as the array may.
func (a *Array) sub(t tile.DType, offset int64, shape []int, strides []int64) *Array {
	a.store.refs++
	v := &Array{
		c:        a.c,
		store:    a.store,
		view:     scheduler.View{Store: a.view.Store, Type: t, Offset: offset, Shape: shape, Strides: strides},
		readonly: a.readonly,
		locked:   a.locked,
		meets:    a.meets,
	}
	v.size = v.view.Elements()
	v.contiguous = v.view.Contiguous()
	return v
}

// same returns another array over the same view.
func (a *Array) same() *Array {
	return a.sub(a.view.Type, a.view.Offset, a.view.Shape, a.view.Strides)
}

// alive reports the use of an array after Free, or of one that has no value.
func (a *Array) alive() error {
	if a == nil || a.store == nil {
		return errorf("ValueError", "the array was freed and cannot be used any more")
	}
	return a.store.lost
}

// Item waits for the value of an array of one element.
func (a *Array) Item(stop <-chan struct{}) (tile.Scalar, error) {
	if err := a.alive(); err != nil {
		return tile.Scalar{}, err
	}
	if a.size != 1 {
		return tile.Scalar{}, errorf("ValueError", "can only convert an array of size 1 to a Python scalar")
	}
	a.c.collect()
	var buf [16]byte
	if err := a.c.rt.Read(a.view, buf[:a.view.Type.Size()], stop); err != nil {
		return tile.Scalar{}, err
	}
	return scalarAt(a.view.Type, buf[:]), nil
}

// Element waits for the element of the array's store at an offset in bytes, and writes its bytes to dst, which
// has room for one.
func (a *Array) Element(t tile.DType, offset int64, dst []byte, stop <-chan struct{}) error {
	if err := a.alive(); err != nil {
		return err
	}
	a.c.collect()
	return a.c.rt.Read(scheduler.View{Store: a.view.Store, Type: t, Offset: offset}, dst, stop)
}

// Read waits for the array's value and writes its elements, of which there must be some, to dst in C order.
func (a *Array) Read(dst []byte, stop <-chan struct{}) error {
	if err := a.alive(); err != nil {
		return err
	}
	a.c.collect()
	return a.c.rt.Read(a.view, dst, stop)
}

// Bytes waits for the array's value and returns its elements packed in C order.
func (a *Array) Bytes(stop <-chan struct{}) ([]byte, error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	dst := make([]byte, a.size*a.view.Type.Size())
	if len(dst) == 0 {
		return dst, nil
	}
	return dst, a.Read(dst, stop)
}

// Map waits for the array's value and returns the address of the element at index 0, 0, ...
// in host memory; the others follow by the strides. The memory stays valid and pinned until
// release is called, even when the array is freed. shared says that the caller and ops see what the other one
// writes there from now on.
func (a *Array) Map(shared bool, stop <-chan struct{}) (p unsafe.Pointer, release func(), err error) {
	if err := a.alive(); err != nil {
		return nil, nil, err
	}
	a.c.collect()
	s := a.store // which others may take from the array during the wait
	p, release, err = a.c.rt.Map(a.view, shared, stop)
	if err != nil {
		return nil, nil, err
	}
	if shared {
		release = s.export(release)
	}
	return unsafe.Add(p, a.view.Offset), release, nil
}

// Await has wait wait for the array's value.
func (a *Array) Await(wait func(v scheduler.View) error) error {
	if err := a.alive(); err != nil {
		return err
	}
	a.c.collect()
	return wait(a.view)
}

// export says until the mapping is released that elements of the store may change without a call.
func (s *store) export(unmap func()) (release func()) {
	s.exported.Add(1)
	s.exports.Add(1) // ends the facts; another goroutine may be in the context
	return func() {
		unmap()
		s.exported.Add(-1)
	}
}

// Open gives the memory of the array's store to the caller, which open can have at once or not at all. The caller reads
// and writes it until release, which it calls before an array over the store takes part in a call.
func (a *Array) Open(open func(scheduler.StoreID) (unsafe.Pointer, func(), bool)) (p unsafe.Pointer, release func(), ok bool) {
	if a.alive() != nil {
		return nil, nil, false
	}
	if _, seen := a.c.bytewise[a.store.id]; seen {
		return nil, nil, false // bools that may have odd bytes are for ops that look at them
	}
	if p, release, ok = open(a.store.id); !ok {
		return nil, nil, false
	}
	return p, a.store.export(release), true
}
