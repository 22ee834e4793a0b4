package arrays

import (
	"weft/scheduler"
	"weft/tile"
)

// template names a program that is not a ufunc's.
type template uint8

// The templates. Each is built by the function of its row in templates.
const (
	moveTemplate   template = iota // types: from, to
	fillTemplate                   // types: of the uniform and the output
	selectTemplate                 // types: of x, y, and the result; uniforms where weak
	maskTemplate                   // types: of the array; assigns a uniform under a mask
	trapezeTemplate
	rangeTemplate
	linspaceTemplate
	triangleTemplate
	clipTemplate
	reduceTemplate
	momentTemplate
	positionTemplate
	productTemplate
	negativeTemplate
	gatherTemplate // types: of the array
	drawTemplate   // types: of the numbers; flags: which
)

// programKey is what a template's program depends on. A key that is used is a program
// that exists: everything that varies more often than that is a uniform.
type programKey struct {
	what  template
	rank  uint8
	types [4]tile.DType
	flags uint16 // combiner, opcode or options; the template says
}

// templates is the table of the builders.
var templates = [...]struct {
	name  string
	build func(b *tile.Builder, k programKey)
}{
	moveTemplate:     {"move", buildMove},
	fillTemplate:     {"fill", buildFill},
	selectTemplate:   {"where", buildSelect},
	maskTemplate:     {"masked", buildMask},
	trapezeTemplate:  {"tri", buildTrapeze},
	rangeTemplate:    {"arange", buildRange},
	linspaceTemplate: {"linspace", buildLinspace},
	triangleTemplate: {"triangle", buildTriangle},
	clipTemplate:     {"clip", buildClip},
	reduceTemplate:   {"reduce", buildReduce},
	momentTemplate:   {"moment", buildMoment},
	positionTemplate: {"position", buildPosition},
	productTemplate:  {"product", buildProduct},
	negativeTemplate: {"negative", buildNegative},
	gatherTemplate:   {"gather", buildGather},
	drawTemplate:     {"draw", buildDraw},
}

// program returns the program of a key, building it the first time.
func (c *Context) program(k programKey) *tile.Program {
	p := c.programs[k]
	if p == nil {
		t := &templates[k.what]
		b := tile.NewBuilder(t.name, int(k.rank))
		t.build(b, k)
		p = b.Program()
		c.programs[k] = p
	}
	return p
}

// mapInto submits a Map of a template: inputs broadcast to out's shape, out written. The
// inputs' count is at most maxOperands-1. The key's rank is filled in here. Inputs that
// overlap out without being it are copied first.
func (c *Context) mapInto(kind scheduler.OpKind, name string, k programKey, uniforms []tile.Scalar, out *Array, inputs ...*Array) error {
	if out.size == 0 {
		return nil
	}
	var room [maxOperands]*Array
	for i, a := range inputs {
		if a.store == out.store && a != out && !sameView(a, out) && mayOverlap(a.view, out.view) {
			copied, err := c.copyOf(a)
			if err != nil {
				return err
			}
			defer copied.Free()
			a = copied
		}
		room[i] = a
	}
	op := c.mapOp(kind, name, k, uniforms, out, room[:len(inputs)]...)
	if k.what == moveTemplate {
		op.Wanted, op.Tells = c.wanted, "cast"
	}
	return c.submit(op)
}

// mapOp makes the op of a template into out, which has elements.
func (c *Context) mapOp(kind scheduler.OpKind, name string, k programKey, uniforms []tile.Scalar, out *Array, inputs ...*Array) *scheduler.Op {
	var s space
	s.init(out.view.Shape)
	for _, a := range inputs {
		s.add(a.view)
	}
	s.add(out.view)
	s.arrange()
	s.collapse()
	k.rank = uint8(s.rank)
	return s.op(c, kind, name, c.program(k), uniforms)
}

func buildMove(b *tile.Builder, k programKey) {
	from := b.Load(k.types[0])
	to := b.Cast(k.types[1], from)
	watchCast(b, from, to)
	b.Store(to)
}

// move copies src, broadcast and converted, into dst.
func (c *Context) move(dst, src *Array, name string) error {
	k := programKey{what: moveTemplate, types: [4]tile.DType{src.view.Type, dst.view.Type}}
	return c.mapInto(scheduler.Move, name, k, nil, dst, src)
}

// copyOf returns a C-contiguous copy.
func (c *Context) copyOf(a *Array) (*Array, error) {
	return c.cast(a, a.view.Type, "copy")
}

// cast returns a C-contiguous copy of another dtype.
func (c *Context) cast(a *Array, t tile.DType, name string) (*Array, error) {
	return c.castIn(a, t, nil, name)
}

// astype returns a copy of another dtype as NumPy's method does.
func (c *Context) astype(a *Array, t tile.DType, name string) (*Array, error) {
	return c.castIn(a, t, copyOrder(a.view), name)
}

// castAsItLies returns a copy of another dtype that lies in memory as the array does, without gaps.
func (c *Context) castAsItLies(a *Array, t tile.DType, name string) (*Array, error) {
	v := a.view
	if a.size == 0 || !inOrder(v, descending(v.Strides)) {
		return c.castIn(a, t, keptOrder(v.Shape, v), name)
	}
	strides := make([]int64, len(v.Strides)) // those along axes of one point, too
	for i, step := range v.Strides {
		strides[i] = step / int64(v.Type.Size()) * int64(t.Size())
	}
	dst, err := c.alloc(t, v.Shape, strides)
	if err != nil {
		return nil, err
	}
	dst.contiguous = dst.view.Contiguous()
	return c.moved(dst, a, name)
}

func (c *Context) castIn(a *Array, t tile.DType, order []int, name string) (*Array, error) {
	dst, err := c.allocIn(t, a.view.Shape, order)
	if err != nil {
		return nil, err
	}
	return c.moved(dst, a, name)
}

// moved copies the elements of an array to a new one.
func (c *Context) moved(dst, a *Array, name string) (*Array, error) {
	if err := c.move(dst, a, name); err != nil {
		dst.Free()
		return nil, err
	}
	return dst, nil
}

func buildFill(b *tile.Builder, k programKey) { b.Store(b.Uniform(k.types[0])) }

// fill writes a literal of the array's dtype into every element.
func (c *Context) fill(a *Array, s tile.Scalar, name string) error {
	return c.mapInto(scheduler.Fill, name, programKey{what: fillTemplate, types: [4]tile.DType{s.Type}}, []tile.Scalar{s}, a)
}

// Flags of selectTemplate: operands that are weak scalars, of the result's dtype.
const (
	weakX = 1 << iota
	weakY
)

func buildSelect(b *tile.Builder, k programKey) {
	condition := b.Cast(tile.Bool, b.Load(k.types[0]))
	operand := func(weak bool, t tile.DType) tile.Value {
		if weak {
			return b.Uniform(k.types[3])
		}
		return b.Cast(k.types[3], b.Load(t))
	}
	x := operand(k.flags&weakX != 0, k.types[1])
	y := operand(k.flags&weakY != 0, k.types[2])
	b.Store(b.Do(tile.Select, condition, x, y))
}

// buildMask takes the array, the mask and the new value, which is a uniform or (types[1]
// given) a broadcast array.
func buildMask(b *tile.Builder, k programKey) {
	old := b.Load(k.types[0])
	mask := b.Load(tile.Bool)
	var v tile.Value
	if k.types[1] == tile.Invalid {
		v = b.Uniform(k.types[0])
	} else {
		v = b.Cast(k.types[0], b.Load(k.types[1]))
	}
	b.Store(b.Do(tile.Select, mask, v, old))
}
