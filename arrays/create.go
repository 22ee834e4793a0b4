package arrays

import (
	"slices"
	"unsafe"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// creationFuncs are the rows that make arrays of one value, or of host data.
var creationFuncs = []row{
	{"zeros", "shape, dtype=None, order='C', *, device=None, like=None", "",
		"Return a new array of given shape and type, filled with zeros. float64 unless dtype says otherwise.", filled(0)},
	{"ones", "shape, dtype=None, order='C', *, device=None, like=None", "",
		"Return a new array of given shape and type, filled with ones. float64 unless dtype says otherwise.", filled(1)},
	{"empty", "shape, dtype=None, order='C', *, device=None, like=None", "",
		"Return a new array of given shape and type, without initializing entries.", empty},
	{"full", "shape, fill_value, dtype=None, order='C', *, device=None, like=None", "",
		"Return a new array of given shape and type, filled with fill_value, whose dtype it has by default.", full},
	{"zeros_like", "a, dtype=None, order='K', subok=True, shape=None, *, device=None", "",
		"Return an array of zeros with the same shape and type as a given array.", filledLike(0)},
	{"ones_like", "a, dtype=None, order='K', subok=True, shape=None, *, device=None", "",
		"Return an array of ones with the same shape and type as a given array.", filledLike(1)},
	{"empty_like", "prototype, dtype=None, order='K', subok=True, shape=None, *, device=None", "",
		"Return a new array with the same shape and type as a given array, without initializing entries.", emptyLike},
	{"full_like", "a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None", "",
		"Return a full array with the same shape and type as a given array.", fullLike},
	{"array", "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None", "",
		"Create an array: a copy of an array, or a number as an array of no dimensions.", array},
	{"asarray asanyarray", "a, dtype=None, order=None, *, device=None, copy=None, like=None", "",
		"Convert the input to an array; an array of the right dtype is returned itself.", asarray},
	{"copy", "a, order='K', subok=False", "order='C'",
		"Return an array copy of the given object.", copied},
	{"fill", "", "value", "Fill the array with a scalar value.", fillMethod},
	{"astype", "x, dtype, /, *, copy=True, device=None", "",
		"Copies an array to a specified data type.", astype},
	{"astype", "", "dtype, order='K', casting='unsafe', subok=True, copy=True",
		"Copies an array to a specified data type.", astypeMethod},
}

// FromBytes returns an array of packed elements in C order. The bytes are copied before it
// returns.
func (c *Context) FromBytes(t tile.DType, shape []int, data []byte) (*Array, error) {
	c.collect()
	a, err := c.alloc(t, shape, nil)
	if err != nil {
		return nil, err
	}
	if want := a.size * t.Size(); len(data) != want {
		a.Free()
		return nil, errorf("ValueError", "buffer of %d bytes for an array of shape %s and dtype %v, which takes %d", len(data), units.Shape(shape), t, want)
	}
	if len(data) == 0 {
		return a, nil
	}
	if err := c.rt.Write(a.view.Store, data); err != nil {
		a.Free()
		return nil, err
	}
	if t == tile.Int64 && a.size <= fewLiterals {
		c.remember(a, literalFacts(data))
	}
	return a, nil
}

// Unwritten returns an array whose elements the caller writes before anything reads them.
func (c *Context) Unwritten(t tile.DType, shape []int) (*Array, error) {
	c.collect()
	return c.alloc(t, shape, nil)
}

// TakeOver returns an array of packed bytes in memory that the caller gives up. back is called once, on any goroutine,
// when nothing uses the memory any more, but not after an error.
func (c *Context) TakeOver(t tile.DType, shape []int, p unsafe.Pointer, back func()) (*Array, error) {
	c.collect()
	a, err := c.alloc(t, shape, nil)
	if err != nil {
		return nil, err
	}
	if err := c.rt.TakeOver(a.view.Store, p, back); err != nil {
		a.Free()
		return nil, err
	}
	if t == tile.Int64 && a.size <= fewLiterals {
		c.remember(a, literalFacts(unsafe.Slice((*byte)(p), a.size*t.Size())))
	}
	return a, nil
}

// Lend returns an array of bytes over memory of the program's own, which is not copied: what the program
// writes there is seen, and what ops write is there when the call that submits them returns. back is
// called once, on any goroutine, when nothing uses the memory any more; also after an error.
func (c *Context) Lend(p unsafe.Pointer, bytes int64, back func()) (*Array, error) {
	lend := func(rt Runtime, id scheduler.StoreID, back func()) error { return rt.Lend(id, p, back) }
	return c.borrow(bytes, &loan{back: back, lend: lend})
}

// literal returns an array of no dimensions.
func (c *Context) literal(s tile.Scalar) (*Array, error) {
	return c.full(nil, s, "array")
}

// full returns a new array of one value.
func (c *Context) full(shape []int, s tile.Scalar, name string) (*Array, error) {
	return c.fullIn(shape, nil, s, name)
}

func (c *Context) fullIn(shape, order []int, s tile.Scalar, name string) (*Array, error) {
	a, err := c.allocIn(s.Type, shape, order)
	if err != nil {
		return nil, err
	}
	if err := c.fill(a, s, name); err != nil {
		a.Free()
		return nil, err
	}
	return a, nil
}

// blueprint is what the arguments of a constructor come to.
type blueprint struct {
	shape []int
	order []int      // of the axes in memory; nil for C order
	t     tile.DType // Invalid where it is not given
}

// creation reads the arguments that constructors have in common.
func (s *scope) creation(shape, dtype, order, device, like Value) (l blueprint, err error) {
	if l.shape, err = s.dims(shape); err != nil {
		return l, err
	}
	if l.t, err = dtypeArg(dtype); err != nil {
		return l, err
	}
	if err := plain("order=", order, "C", "F"); err != nil {
		return l, err
	}
	if l.order, err = orderArg(order, "C", scheduler.View{Shape: l.shape}); err != nil {
		return l, err
	}
	if err := plain("device=", device, "cpu"); err != nil {
		return l, err
	}
	return l, plain("like=", like)
}

// like reads the prototype of the *_like constructors.
func (s *scope) like(proto, dtype, order, subok, shape, device Value) (blueprint, error) {
	if err := usualSubok(subok); err != nil {
		return blueprint{}, err
	}
	a, err := s.array(proto)
	if err != nil {
		return blueprint{}, err
	}
	dims := Ints(a.view.Shape...)
	if shape.given() {
		dims = shape
	}
	if dtype.Kind == Missing || dtype.Kind == None {
		dtype = DTypeOf(a.view.Type)
	}
	l, err := s.creation(dims, dtype, Value{}, device, Value{})
	if err != nil {
		return l, err
	}
	l.order, err = orderLike(order, a.view, len(l.shape))
	return l, err
}

func filled(value float64) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		l, err := s.creation(v[0], v[1], v[2], v[3], v[4])
		if err != nil {
			return Value{}, err
		}
		if l.t == tile.Invalid {
			l.t = tile.Float64
		}
		return result(s.c.fullIn(l.shape, l.order, numberScalar(l.t, value, int64(value)), "fill"))
	}
}

func empty(s *scope, v []Value) (Value, error) {
	l, err := s.creation(v[0], v[1], v[2], v[3], v[4])
	if err != nil {
		return Value{}, err
	}
	if l.t == tile.Invalid {
		l.t = tile.Float64
	}
	return result(s.c.allocIn(l.t, l.shape, l.order))
}

func full(s *scope, v []Value) (Value, error) {
	l, err := s.creation(v[0], v[2], v[3], v[4], v[5])
	if err != nil {
		return Value{}, err
	}
	return s.fullOf(l, v[1])
}

// fullOf fills a new array with a number or an array, whose own dtype it has if none is given.
func (s *scope) fullOf(l blueprint, value Value) (Value, error) {
	if l.t == tile.Invalid {
		of, ok := typeOf(value)
		if !ok {
			return Value{}, &Fallback{"filling with something that is not an array or a number"}
		}
		l.t = promote(of)
		if value.Kind == UintValue {
			l.t = tile.Uint64
		}
	}
	if l.t == tile.Bool && isHuge(&value) {
		return Value{}, &Fallback{"a number that no int64 holds, as a bool"} // NumPy words the error
	}
	if of, ok := typeOf(value); ok {
		if err := s.c.discards(promote(of), l.t); err != nil {
			return Value{}, err
		}
	}
	if value.Kind == FloatValue && l.t.Is(tile.KindInt|tile.KindUint) || value.Kind == ComplexValue && !l.t.Is(tile.KindComplex) {
		x, err := s.array(value)
		if err != nil {
			return Value{}, err
		}
		value = Of(x) // cast as an array is, not as a number that is assigned
	}
	a, err := s.c.allocIn(l.t, l.shape, l.order)
	if err != nil {
		return Value{}, err
	}
	if err := s.c.assign(a, value); err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

func filledLike(value float64) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		l, err := s.like(v[0], v[1], v[2], v[3], v[4], v[5])
		if err != nil {
			return Value{}, err
		}
		return result(s.c.fullIn(l.shape, l.order, numberScalar(l.t, value, int64(value)), "fill"))
	}
}

func emptyLike(s *scope, v []Value) (Value, error) {
	l, err := s.like(v[0], v[1], v[2], v[3], v[4], v[5])
	if err != nil {
		return Value{}, err
	}
	return result(s.c.allocIn(l.t, l.shape, l.order))
}

func fullLike(s *scope, v []Value) (Value, error) {
	l, err := s.like(v[0], v[2], v[3], v[4], v[5], v[6])
	if err != nil {
		return Value{}, err
	}
	return s.fullOf(l, v[1])
}

func array(s *scope, v []Value) (Value, error) {
	copying := true
	if v[2].Kind == None || v[2].Kind == BoolValue && v[2].Int == 0 {
		copying = false
	}
	ndmin, err := s.integer(v[5], 0)
	if err != nil {
		return Value{}, err
	}
	if v[6].Kind != Missing || v[7].given() {
		return Value{}, &Fallback{"ndmax= and like= are not native"}
	}
	if v[2].Kind == BoolValue && v[2].Int == 0 {
		return Value{}, &Fallback{"copy=False"}
	}
	a, err := s.convert(v[0], v[1], v[3], copying)
	if err != nil || ndmin <= a.Ndim() {
		return result(a, err)
	}
	if a != v[0].Array {
		s.owned = append(s.owned, a)
	}
	shape := append(ones(ndmin-a.Ndim()), a.view.Shape...)
	step := int64(a.DType().Size()) // of the axes of one point that stand before the others
	fortran := v[3].given() && v[3].String == "F" || !a.view.Contiguous() && inOrder(a.view, reversed(a.Ndim()))
	if a.Ndim() > 0 && !fortran {
		step = a.view.Strides[0] * int64(a.view.Shape[0])
	}
	strides := append(slices.Repeat([]int64{step}, ndmin-a.Ndim()), a.view.Strides...)
	return Of(a.sub(a.view.Type, a.view.Offset, shape, strides)), nil
}

func ones(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

func asarray(s *scope, v []Value) (Value, error) {
	if v[4].Kind == BoolValue && v[4].Int == 0 {
		return Value{}, &Fallback{"copy=False"}
	}
	if err := plain("device=", v[3], "cpu"); err != nil {
		return Value{}, err
	}
	return result(s.convert(v[0], v[1], v[2], v[4].Kind == BoolValue))
}

// convert returns an argument as an array of the given dtype, which lies in the given order. It is the argument
// itself where nothing has to be done, unless copying.
func (s *scope) convert(x, dtype, order Value, copying bool) (*Array, error) {
	t, err := dtypeArg(dtype)
	if err != nil {
		return nil, err
	}
	if x.Kind != ArrayValue {
		v, err := s.fullOf(blueprint{t: t}, x)
		return v.Array, err
	}
	a := x.Array
	if err := a.alive(); err != nil {
		return nil, err
	}
	if t == tile.Invalid {
		t = a.view.Type
	}
	if order.given() && order.String == "A" && t != a.view.Type { // which NumPy's cast takes for K
		order = Value{}
	}
	lies, err := orderArg(order, "K", a.view)
	if err != nil {
		return nil, err
	}
	if fits := !order.given() || order.String == "K" || order.String == "A" || inOrder(a.view, lies); fits && t == a.view.Type && !copying {
		return a, nil
	}
	if err := s.c.discards(a.view.Type, t); err != nil {
		return nil, err
	}
	return s.c.castIn(a, t, lies, "astype")
}

// copied is called by the function's signature (a, order, subok) or the method's (order).
func copied(s *scope, v []Value) (Value, error) {
	otherwise := "C"
	if len(v) > 2 {
		otherwise = "K"
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	order, err := orderArg(v[1], otherwise, a.view)
	if err != nil {
		return Value{}, err
	}
	return result(s.c.castIn(a, a.view.Type, order, "copy"))
}

func fillMethod(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if v[1].Kind == ArrayValue && v[1].Array.Ndim() > 0 {
		return Value{}, &Fallback{"filling with an array"}
	}
	if err := a.refuse("assignment destination is read-only"); err != nil {
		return Value{}, err
	}
	return Value{Kind: None}, s.c.assign(a, v[1])
}

func astype(s *scope, v []Value) (Value, error) {
	if v[0].Kind != ArrayValue {
		return Value{}, &Fallback{"astype of what is no array"} // NumPy words the error
	}
	if err := plain("device=", v[3], "cpu"); err != nil {
		return Value{}, err
	}
	return astypeMethod(s, []Value{v[0], v[1], {}, {}, {}, v[2]})
}

func astypeMethod(s *scope, v []Value) (Value, error) {
	wanted, casting := v[2], v[3]
	if err := usualSubok(v[4]); err != nil {
		return Value{}, err
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	t, err := dtypeArg(v[1])
	if err != nil {
		return Value{}, err
	}
	if t == tile.Invalid {
		t = tile.Float64
	}
	copying, err := truth(v[5], true)
	if err != nil {
		return Value{}, err
	}
	if casting.Kind != Missing {
		if casting.Kind != StringValue {
			return Value{}, &Fallback{"a casting= that is no text"} // NumPy words the error
		}
		if err := checkCasting(casting.String); err != nil {
			return Value{}, err
		}
		if !canCast(a.view.Type, t, casting.String) {
			return Value{}, errorf("TypeError", "Cannot cast array data from dtype('%v') to dtype('%v') according to the rule '%s'", a.view.Type, t, casting.String)
		}
	}
	order, err := orderArg(wanted, "K", a.view)
	if err != nil {
		return Value{}, err
	}
	if fits := !wanted.given() || wanted.String == "K" || inOrder(a.view, order); fits && !copying && t == a.view.Type {
		return v[0], nil
	}
	if err := s.c.discards(a.view.Type, t); err != nil {
		return Value{}, err
	}
	return result(s.c.castIn(a, t, order, "astype"))
}

// generate submits a Map without inputs over the array's own shape, for programs that use
// coordinates, so that nothing is collapsed.
func (c *Context) generate(name string, k programKey, uniforms []tile.Scalar, out *Array) error {
	if out.size == 0 {
		return nil
	}
	k.rank = uint8(out.Ndim())
	return c.submit(&scheduler.Op{
		Kind: scheduler.Fill, Name: name, Shape: out.view.Shape, Program: c.program(k),
		Uses: []scheduler.Use{{View: out.view, Access: scheduler.Write}}, Uniforms: uniforms, Where: c.where,
	})
}
