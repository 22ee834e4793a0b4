package ptx

import (
	"weft/tile"
)

// value is what an instruction of a program leaves: one register, or two of a complex number.
type value struct {
	t tile.DType
	r [2]string // complex: real and imaginary part
}

func one(t tile.DType, r string) value      { return value{t, [2]string{r}} }
func two(t tile.DType, re, im string) value { return value{t, [2]string{re, im}} }
func (v value) parts() int                  { return parts(v.t) }
func (v value) mapped(f func(string) string) value {
	for i := range v.parts() {
		v.r[i] = f(v.r[i])
	}
	return v
}

func parts(t tile.DType) int {
	if t.Is(tile.KindComplex) {
		return 2
	}
	return 1
}

// partSize is the size of what is read and written at once.
func partSize(t tile.DType) int { return t.Size() / parts(t) }

// scalarRow says how the elements of a dtype lie in memory and in registers.
type scalarRow struct {
	class  class
	memory string // type of ld and st; of one part of a complex number
	typ    string // type of arithmetic and comparisons
}

// scalars is the table; a new dtype is a new row here.
var scalars = [...]scalarRow{
	tile.Bool:       {pred, "u8", "pred"},
	tile.Int8:       {word, "s8", "s32"},
	tile.Int16:      {word, "s16", "s32"},
	tile.Int32:      {word, "s32", "s32"},
	tile.Int64:      {long, "s64", "s64"},
	tile.Uint8:      {word, "u8", "u32"},
	tile.Uint16:     {word, "u16", "u32"},
	tile.Uint32:     {word, "u32", "u32"},
	tile.Uint64:     {long, "u64", "u64"},
	tile.Float16:    {float, "b16", "f32"},
	tile.Float32:    {float, "f32", "f32"},
	tile.Float64:    {dbl, "f64", "f64"},
	tile.Complex64:  {float, "f32", "f32"},
	tile.Complex128: {dbl, "f64", "f64"},
}

// arith is the floating-point arithmetic of a dtype.
func (c *code) arith(t tile.DType) fp {
	if scalars[t].typ == "f64" {
		return c.double()
	}
	return c.single()
}

// load reads an element from "[address+offset]" of a state space: global, param, shared or local.
func (c *code) load(t tile.DType, space, address string, offset int) value {
	row := &scalars[t]
	v := value{t: t}
	for i := range parts(t) {
		place := offset + i*t.Size()/2
		if c.bytes && space == "global" && partSize(t) > 1 {
			v.r[i] = c.gathered(t, address, place)
			continue
		}
		at := "[" + address + "+" + dec(place) + "]"
		op := "ld." + space + "." + row.memory
		switch t {
		case tile.Bool:
			v.r[i] = c.pred("setp.ne.u32", c.word(op, at), "0")
		case tile.Float16:
			v.r[i] = c.float("cvt.f32.f16", c.to(half, op, at))
		default:
			v.r[i] = c.to(row.class, op, at)
		}
	}
	return v
}

// store writes an element to a state space.
func (c *code) store(space, address string, v value) { c.storeAt(space, address, 0, v) }

// storeAt writes an element to "[address+offset]".
func (c *code) storeAt(space, address string, offset int, v value) {
	row := &scalars[v.t]
	for i := range v.parts() {
		r := v.r[i]
		switch v.t {
		case tile.Bool:
			r = c.word("selp.u32", "1", "0", r)
		case tile.Float16:
			r = c.to(half, "cvt.rn.f16.f32", r)
		}
		place := offset + i*v.t.Size()/2
		if c.bytes && space == "global" && partSize(v.t) > 1 {
			c.scatter(v.t, address, place, r)
			continue
		}
		c.guarded("st."+space+"."+storeType(row.memory), "["+address+"+"+dec(place)+"]", r)
	}
}

// storeType is the type of a store: a signed one has no meaning there.
func storeType(memory string) string {
	if memory[0] == 's' {
		return "u" + memory[1:]
	}
	return memory
}

// literal puts a constant into registers.
func (c *code) literal(s tile.Scalar) value {
	row := &scalars[s.Type]
	switch s.Type.Kind() {
	case tile.KindBool:
		return one(s.Type, c.pred("setp.ne.u32", hex(s.Bits[0]), "0"))
	case tile.KindFloat:
		f := c.arith(s.Type)
		return one(s.Type, f.mov(f.num(s.Float())))
	case tile.KindComplex:
		f := c.arith(s.Type)
		return two(s.Type, f.mov(f.num(real(s.Complex()))), f.mov(f.num(imag(s.Complex()))))
	}
	bits := s.Bits[0]
	if row.class == word {
		bits = uint64(uint32(s.Int())) // sign-extended where the dtype is signed
	}
	return one(s.Type, c.to(row.class, "mov."+bitsOf(row.class), hex(bits)))
}

// bitsOf is the untyped type of a class, for moves and logic.
func bitsOf(k class) string {
	switch k {
	case word:
		return "b32"
	case long:
		return "b64"
	case float:
		return "f32"
	case dbl:
		return "f64"
	case half:
		return "b16"
	}
	return "pred"
}

// wrap brings a word back into the range of a dtype narrower than 32 bits.
func (c *code) wrap(t tile.DType, r string) string {
	switch bits := t.Size() * 8; {
	case bits >= 32:
		return r
	case t.Is(tile.KindInt):
		return c.word("bfe.s32", r, "0", dec(bits))
	default:
		return c.word("and.b32", r, hex(1<<bits-1))
	}
}

// rounded rounds a float32 to half where the dtype is float16.
func (c *code) rounded(t tile.DType, r string) string {
	if t != tile.Float16 {
		return r
	}
	return c.float("cvt.f32.f16", c.to(half, "cvt.rn.f16.f32", r))
}

// choose is a where p holds, b elsewhere, for any dtype.
func (c *code) choose(p string, a, b value) value {
	if a.t == tile.Bool {
		return one(a.t, c.or(c.and(p, a.r[0]), c.and(c.not(p), b.r[0])))
	}
	v := value{t: a.t}
	for i := range v.parts() {
		k := scalars[a.t].class
		v.r[i] = c.to(k, "selp."+bitsOf(k), a.r[i], b.r[i], p)
	}
	return v
}
