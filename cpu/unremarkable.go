package cpu

import (
	"unsafe"

	"weft/cpu/eager"
	"weft/cpu/vm"
	"weft/tile"
)

// Arrays with NaNs raise the flag of invalid operations in every comparison and in the loops of elementary functions,
// though nothing goes wrong. To explain such launches costs several times what they cost, and in vain. So their arrays
// are looked through first, at the speed of memory: what has gone wrong has made a NaN, or where results are stored as
// they come an infinity, of elements without any. Not told is what went wrong only in elements at which another input
// of the same result was no number before.

// carried are the operations whose result is no number wherever an operand is none.
var carried = map[tile.Opcode]bool{
	tile.Add: true, tile.Sub: true, tile.Mul: true, tile.Div: true, tile.Sqrt: true, tile.Neg: true, tile.Abs: true,
	tile.Exp: true, tile.Exp2: true, tile.Expm1: true, tile.Log: true, tile.Log2: true, tile.Log10: true, tile.Log1p: true,
	tile.Sin: true, tile.Cos: true, tile.Tan: true, tile.Asin: true, tile.Acos: true, tile.Atan: true,
	tile.Sinh: true, tile.Cosh: true, tile.Tanh: true, tile.Asinh: true, tile.Acosh: true, tile.Atanh: true,
	tile.Floor: true, tile.Ceil: true, tile.Trunc: true, tile.Rint: true, tile.Cbrt: true, tile.Min: true, tile.Max: true,
}

// shown says of a program whether each result that is watched is stored, whether a NaN of each gets into what is
// stored, and by parameter which inputs, by bits, what is stored there is made of.
func shown(p *tile.Program) (stored, carries bool, from []uint64) {
	if len(p.Watched) == 0 || len(p.Params) > 64 {
		return false, false, nil
	}
	kept, reaches := make([]bool, len(p.Code)), make([]bool, len(p.Code))
	for i := len(p.Code) - 1; i >= 0; i-- {
		in := &p.Code[i]
		for k, v := range in.Operands() {
			switch {
			case in.Op == tile.Store:
				kept[v], reaches[v] = true, true
			case reaches[i] && in.Type.Is(tile.KindFloat) && p.Code[v].Type.Is(tile.KindFloat) && (carried[in.Op] || in.Op == tile.Cast || in.Op == tile.Pow && k == 0):
				reaches[v] = true // a power of no number is one only for the exponent 0
			}
		}
	}
	stored, carries = true, true
	for i := range p.Watched {
		out := p.Watched[i].Out
		stored, carries = stored && kept[out], carries && reaches[out]
		if p.Watched[i].Rule == tile.Strict {
			return false, false, nil
		}
	}
	of := make([]uint64, len(p.Code))
	from = make([]uint64, len(p.Params))
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op == tile.Load || in.Op == tile.Gather {
			of[i] = 1 << in.N
		}
		for _, v := range in.Operands() {
			of[i] |= of[v]
		}
		if in.Op == tile.Store {
			from[in.N] |= of[i]
		}
	}
	return stored, carries, from
}

// unremarkable says whether nothing went wrong in a launch that raised flags, as far as a look at its arrays shows.
// Nothing of what it has read may be lost.
func (f *frame) unremarkable(x *executable, l *tile.Launch) bool {
	p, wanted := x.program, l.Watch.Wanted
	invalid := f.raised&(int64(wanted)|vm.Seen) == int64(tile.InvalidValue)
	if wanted&tile.Underflow != 0 || !(x.stored || invalid && x.carries) || len(l.Shape) == 0 {
		return false
	}
	var inputs [eager.MaxNewly]eager.Array
	var strides [eager.MaxNewly + 1][]int64
	ins, rows := inputs[:0], strides[:0]
	var outs []int
	var bits [eager.MaxNewly]uint64 // of the inputs
	cut := len(l.Shape) - 1
	for cut > 0 && l.Shape[cut] == 1 { // along which strides mean nothing
		cut--
	}
	for i := range p.Params {
		param, a := &p.Params[i], &l.Args[i]
		size := int64(param.Type.Size())
		switch {
		case param.Dir == tile.Out && param.Axes == 0 && (param.Type == tile.Float32 || param.Type == tile.Float64):
			outs = append(outs, i)
		case param.Dir != tile.In || param.Axes != 0 || param.Type.Is(tile.KindComplex) || param.Type == tile.Float16:
			return false
		case !param.Type.Is(tile.KindFloat):
			continue
		case len(ins) == eager.MaxNewly:
			return false
		default:
			bits[len(ins)] = 1 << i
			ins = append(ins, eager.Array{Data: unsafe.Add(f.base[i], a.Offset), Size: size, Step: min(a.Strides[cut], size)})
			rows = append(rows, a.Strides)
		}
		if step := a.Strides[cut]; step != size && (step != 0 || param.Dir != tile.In) && l.Shape[cut] > 1 {
			return false
		}
	}
	n := l.Shape[cut]
	for cut > 0 && f.follows(l, rows, outs, cut) {
		cut--
		n *= l.Shape[cut]
	}
	if cut > 0 && n < shortestRow {
		return false
	}
	at := make([]int, cut)
	for {
		for _, i := range outs {
			out := eager.Array{Data: unsafe.Add(f.base[i], l.Args[i].Offset+along(l.Args[i].Strides, at)), Size: int64(p.Params[i].Type.Size()), Step: int64(p.Params[i].Type.Size())}
			var made [eager.MaxNewly]eager.Array
			of := made[:0]
			for k := range ins {
				if x.from[i]&bits[k] != 0 {
					of = append(of, eager.Array{Data: unsafe.Add(ins[k].Data, along(rows[k], at)), Size: ins[k].Size, Step: ins[k].Step})
				}
			}
			if eager.Newly(n, !invalid || !x.carries, of, out) {
				return false
			}
		}
		axis := cut - 1
		for ; axis >= 0; axis-- {
			if at[axis]++; at[axis] < l.Shape[axis] {
				break
			}
			at[axis] = 0
		}
		if axis < 0 {
			return len(outs) > 0
		}
	}
}

// shortestRow is how many elements are worth a call.
const shortestRow = 64

// follows says whether a row of axis cut lies behind the one before it in all arrays, or is the same.
func (f *frame) follows(l *tile.Launch, rows [][]int64, outs []int, cut int) bool {
	for _, s := range rows {
		if s[cut-1] != s[cut]*int64(l.Shape[cut]) {
			return false
		}
	}
	for _, i := range outs {
		if s := l.Args[i].Strides; s[cut-1] != s[cut]*int64(l.Shape[cut]) {
			return false
		}
	}
	return true
}

// along is how many bytes an element lies behind the first one.
func along(strides []int64, at []int) (bytes int64) {
	for axis, n := range at {
		bytes += int64(n) * strides[axis]
	}
	return bytes
}
