package ptx

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"weft/tile"
)

// simStep returns what an instruction does; nil if the simulator does not know it.
func simStep(fn *simFunction, m *simModule, op, args []string) func(t *simThread, r []uint64) int {
	last := op[len(op)-1]
	switch op[0] {
	case "bra":
		target, ok := fn.labels[args[0]]
		if !ok {
			fault("%s: no label %s", fn.name, args[0])
		}
		return func(*simThread, []uint64) int { return target }
	case "ret":
		return func(*simThread, []uint64) int { return simReturn }
	case "call":
		return simCall(fn, m, args)
	case "ld":
		if op[1] == "volatile" {
			load := simLoad(fn, m, append([]string{"ld"}, op[2:]...), args)
			return func(t *simThread, r []uint64) int { t.steps = 0; return load(t, r) } // it may wait for the host
		}
		return simLoad(fn, m, op, args)
	case "atom":
		return simExchange(fn, op, args)
	case "st":
		return simStore(fn, op, args)
	case "bar":
		if strings.Join(op, ".") != "bar.sync" || args[0] != "0" {
			return nil
		}
		return func(*simThread, []uint64) int { return simWait }
	case "shfl":
		if strings.Join(op, ".") != "shfl.sync.down.b32" || args[3] != "31" || args[4] != "-1" {
			return nil
		}
		d, v, by := fn.reg(args[0]), fn.operand(args[1]), fn.operand(args[2])
		return func(t *simThread, r []uint64) int {
			t.shuffle = &simShuffle{d, int(r[by]), r[v]}
			return simWait
		}
	case "mov":
		if strings.HasPrefix(args[0], "{") || strings.HasPrefix(args[1], "{") {
			return simPack(fn, simWidth(last), args)
		}
		if _, ok := m.constants[args[1]]; ok {
			d := fn.reg(args[0])
			return func(_ *simThread, r []uint64) int { r[d] = simConstantBase; return simNext }
		}
		width := 1
		if last != "pred" {
			width = simWidth(last)
		}
		return fn.result1(args, func(a, b, c uint64) uint64 { return a & mask(width) })
	case "cvta":
		return fn.result1(args, func(a, b, c uint64) uint64 { return a })
	case "setp":
		return fn.result1(args, simCompare(op[1], last))
	case "selp":
		w := simWidth(last)
		return fn.result1(args, func(a, b, c uint64) uint64 {
			if c != 0 {
				return a & mask(w)
			}
			return b & mask(w)
		})
	case "cvt":
		if f := simConvert(op[1:]); f != nil {
			return fn.result1(args, f)
		}
		return nil
	}
	var f func(a, b, c uint64) uint64
	switch {
	case last == "f32" || last == "f64":
		f = simFloat(op)
	case last == "f16x2":
		f = simPairs(op)
	case last == "pred":
		f = simLogic(op[0])
	default:
		f = simInteger(op)
	}
	if f == nil {
		return nil
	}
	return fn.result1(args, f)
}

// result1 is an instruction with a result and sources.
func (fn *simFunction) result1(args []string, f func(a, b, c uint64) uint64) func(t *simThread, r []uint64) int {
	d := fn.reg(args[0])
	from := [3]int{d, d, d} // what has fewer sources does not look at the others
	if len(args)-1 > len(from) {
		fault("%s: %d sources", fn.name, len(args)-1)
	}
	for i, a := range args[1:] {
		from[i] = fn.operand(a)
	}
	return func(_ *simThread, r []uint64) int {
		r[d] = f(r[from[0]], r[from[1]], r[from[2]])
		return simNext
	}
}

func simCall(fn *simFunction, m *simModule, args []string) func(t *simThread, r []uint64) int {
	d := fn.reg(strings.Trim(args[0], "()"))
	callee := m.functions[args[1]]
	if callee == nil {
		fault("%s calls %s, which is not above it", fn.name, args[1])
	}
	var sources []int
	for _, a := range splitOperands(strings.Trim(args[2], "()")) {
		sources = append(sources, fn.operand(a))
	}
	if len(sources) != len(callee.params) {
		fault("%s calls %s with %d arguments", fn.name, callee.name, len(sources))
	}
	return func(t *simThread, r []uint64) int {
		var some [8]uint64
		args := some[:0]
		for _, from := range sources {
			args = append(args, r[from])
		}
		r[d] = t.call(callee, args)
		return simNext
	}
}

// simConstantBase is the address of the one constant array.
const simConstantBase = 0x1000

func simLoad(fn *simFunction, m *simModule, op, args []string) func(t *simThread, r []uint64) int {
	space, typ := op[1], op[len(op)-1]
	width := simWidth(typ)
	base, offset := fn.address(args[1])
	names := simVector(op, args[0])
	var regs []int
	for _, name := range names {
		regs = append(regs, fn.reg(name))
	}
	put := func(r []uint64, raw []byte) {
		for i, d := range regs {
			var b [8]byte
			copy(b[:], raw[i*width:][:width])
			v := binary.LittleEndian.Uint64(b[:])
			if typ[0] == 's' {
				v = uint64(extend(v, width))
				if names[i][1] == byte(word) {
					v &= mask(4)
				}
			}
			r[d] = v
		}
	}
	all := width * len(regs)
	if space == "param" {
		return func(t *simThread, r []uint64) int { put(r, t.params[offset:]); return simNext }
	}
	b := fn.reg(base)
	return func(t *simThread, r []uint64) int {
		at := r[b] + uint64(offset)
		if at%uint64(all) != 0 {
			fault("%s: load of %d bytes at %#x is not aligned", fn.name, all, at)
		}
		if space == "const" {
			for _, data := range m.constants {
				put(r, data[at-simConstantBase:])
			}
			return simNext
		}
		put(r, t.at(space, at, all))
		return simNext
	}
}

func simStore(fn *simFunction, op, args []string) func(t *simThread, r []uint64) int {
	width := simWidth(op[len(op)-1])
	base, offset := fn.address(args[0])
	b := fn.reg(base)
	var values []int
	for _, name := range simVector(op, args[1]) {
		values = append(values, fn.operand(name))
	}
	all := width * len(values)
	return func(t *simThread, r []uint64) int {
		at := r[b] + uint64(offset)
		if at%uint64(all) != 0 {
			fault("%s: store of %d bytes at %#x is not aligned", fn.name, all, at)
		}
		to := t.at(op[1], at, all)
		for i, v := range values {
			var raw [8]byte
			binary.LittleEndian.PutUint64(raw[:], r[v])
			copy(to[i*width:], raw[:width])
		}
		return simNext
	}
}

// at returns n bytes of global or shared memory.
func (t *simThread) at(space string, address uint64, n int) []byte {
	if space != "shared" {
		return t.m.memory(address, n)
	}
	if address+uint64(n) > uint64(len(t.m.shared)) {
		fault("access to %d bytes at %#x of %d that are shared", n, address, len(t.m.shared))
	}
	return t.m.shared[address:][:n]
}

// simVector splits the registers of an access to several elements, and looks whether they are as many as it says.
func simVector(op []string, operand string) []string {
	names, n := splitOperands(strings.Trim(operand, "{}")), 1
	if len(op) > 3 {
		n = map[string]int{"v2": 2, "v4": 4}[op[2]]
	}
	if len(names) != n {
		fault("%s of %s", strings.Join(op, "."), operand)
	}
	return names
}

// simExchange is a compare-and-swap.
func simExchange(fn *simFunction, op, args []string) func(t *simThread, r []uint64) int {
	if strings.Join(op, ".") != "atom.global.cas.b32" {
		return nil
	}
	base, offset := fn.address(args[1])
	d, b, want, with := fn.reg(args[0]), fn.reg(base), fn.operand(args[2]), fn.operand(args[3])
	return func(t *simThread, r []uint64) int {
		at := t.m.memory(r[b]+uint64(offset), 4)
		old := uint64(binary.LittleEndian.Uint32(at))
		if old == r[want] {
			binary.LittleEndian.PutUint32(at, uint32(r[with]))
		}
		r[d] = old
		return simNext
	}
}

// simPack is a move between a pair of registers and one of so many bytes, twice theirs.
func simPack(fn *simFunction, width int, args []string) func(t *simThread, r []uint64) int {
	pair := func(s string) (lo, hi int) {
		p := splitOperands(strings.Trim(s, "{}"))
		return fn.reg(p[0]), fn.reg(p[1])
	}
	if strings.HasPrefix(args[0], "{") {
		lo, hi := pair(args[0])
		src := fn.reg(args[1])
		return func(_ *simThread, r []uint64) int {
			r[lo], r[hi] = r[src]&mask(width/2), r[src]>>(4*width)&mask(width/2)
			return simNext
		}
	}
	lo, hi := pair(args[1])
	d := fn.reg(args[0])
	return func(_ *simThread, r []uint64) int { r[d] = r[lo]&mask(width/2) | r[hi]<<(4*width); return simNext }
}

func simLogic(op string) func(a, b, c uint64) uint64 {
	switch op {
	case "and":
		return func(a, b, c uint64) uint64 { return a & b }
	case "or":
		return func(a, b, c uint64) uint64 { return a | b }
	case "xor":
		return func(a, b, c uint64) uint64 { return a ^ b }
	case "not":
		return func(a, b, c uint64) uint64 { return a ^ 1 }
	}
	return nil
}

func simCompare(how, typ string) func(a, b, c uint64) uint64 {
	if typ[0] == 'f' {
		value := double
		if typ == "f32" {
			value = single
		}
		compare := map[string]func(x, y float64) bool{
			"eq":  func(x, y float64) bool { return x == y },
			"lt":  func(x, y float64) bool { return x < y },
			"le":  func(x, y float64) bool { return x <= y },
			"gt":  func(x, y float64) bool { return x > y },
			"ge":  func(x, y float64) bool { return x >= y },
			"neu": func(x, y float64) bool { return x != y },
			"nan": func(x, y float64) bool { return x != x || y != y },
			"num": func(x, y float64) bool { return x == x && y == y },
		}[how]
		if compare == nil {
			fault("comparison %s.%s", how, typ)
		}
		return func(a, b, c uint64) uint64 { return truth(compare(value(a), value(b))) }
	}
	w := simWidth(typ)
	order := func(x, y uint64) int {
		x, y = x&mask(w), y&mask(w)
		if typ[0] == 's' {
			x, y = uint64(extend(x, w))^1<<63, uint64(extend(y, w))^1<<63
		}
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	holds := map[string]func(o int) bool{
		"eq": func(o int) bool { return o == 0 }, "ne": func(o int) bool { return o != 0 },
		"lt": func(o int) bool { return o < 0 }, "le": func(o int) bool { return o <= 0 },
		"gt": func(o int) bool { return o > 0 }, "ge": func(o int) bool { return o >= 0 },
	}[how]
	if holds == nil {
		fault("comparison %s.%s", how, typ)
	}
	return func(a, b, c uint64) uint64 { return truth(holds(order(a, b))) }
}

func simInteger(op []string) func(a, b, c uint64) uint64 {
	typ := op[len(op)-1]
	w := simWidth(typ)
	signed := typ[0] == 's'
	name := strings.Join(op[:len(op)-1], ".")
	pick := func(s func(x, y int64) int64, u func(x, y uint64) uint64) func(a, b, c uint64) uint64 {
		return func(a, b, c uint64) uint64 {
			if signed {
				return uint64(s(extend(a, w), extend(b, w))) & mask(w)
			}
			return u(a&mask(w), b&mask(w)) & mask(w)
		}
	}
	switch name {
	case "add":
		return func(a, b, c uint64) uint64 { return (a + b) & mask(w) }
	case "sub":
		return func(a, b, c uint64) uint64 { return (a - b) & mask(w) }
	case "mul.lo":
		return func(a, b, c uint64) uint64 { return (a * b) & mask(w) }
	case "mul.hi":
		if typ == "u64" {
			return func(a, b, c uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }
		}
	case "mul.wide":
		if typ == "u32" {
			return func(a, b, c uint64) uint64 { return (a & mask(4)) * (b & mask(4)) }
		}
	case "prmt":
		return simPermute
	case "mad.lo":
		return func(a, b, c uint64) uint64 { return (a*b + c) & mask(w) }
	case "mad.wide":
		if typ == "u32" {
			return func(a, b, c uint64) uint64 { return (a&mask(4))*(b&mask(4)) + c }
		}
	case "div":
		return pick(func(x, y int64) int64 { nonzero(y == 0 || y == -1); return x / y }, func(x, y uint64) uint64 { nonzero(y == 0); return x / y })
	case "rem":
		return pick(func(x, y int64) int64 { nonzero(y == 0 || y == -1); return x % y }, func(x, y uint64) uint64 { nonzero(y == 0); return x % y })
	case "min":
		return pick(func(x, y int64) int64 { return min(x, y) }, func(x, y uint64) uint64 { return min(x, y) })
	case "max":
		return pick(func(x, y int64) int64 { return max(x, y) }, func(x, y uint64) uint64 { return max(x, y) })
	case "neg":
		return func(a, b, c uint64) uint64 { return -a & mask(w) }
	case "abs":
		return func(a, b, c uint64) uint64 { x := extend(a, w); return uint64(max(x, -x)) & mask(w) }
	case "and":
		return func(a, b, c uint64) uint64 { return a & b & mask(w) }
	case "or":
		return func(a, b, c uint64) uint64 { return (a | b) & mask(w) }
	case "xor":
		return func(a, b, c uint64) uint64 { return (a ^ b) & mask(w) }
	case "not":
		return func(a, b, c uint64) uint64 { return ^a & mask(w) }
	case "shl":
		return func(a, b, c uint64) uint64 { return a << min(b&mask(4), 64) & mask(w) }
	case "shr":
		return func(a, b, c uint64) uint64 {
			n := min(b&mask(4), uint64(8*w))
			if signed {
				return uint64(extend(a, w)>>n) & mask(w)
			}
			return (a & mask(w)) >> n
		}
	case "bfe": // from bit 0 only, as it is emitted
		return func(a, b, c uint64) uint64 {
			if b != 0 || !signed {
				fault("bfe at bit %d", b)
			}
			return uint64(extend(a, int(c/8))) & mask(w)
		}
	case "clz":
		return func(a, b, c uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }
	}
	return nil
}

// simPermute picks four bytes of two words; the highest bit of a selector repeats the sign.
func simPermute(a, b, c uint64) uint64 {
	from := a&mask(4) | b<<32
	v := uint64(0)
	for k := range 4 {
		pick := c >> (4 * k) & 15
		b := from >> (8 * (pick & 7)) & 0xff
		if pick&8 != 0 {
			b = -(b >> 7) & 0xff
		}
		v |= b << (8 * k)
	}
	return v
}

// nonzero stops at divisions whose result PTX does not define.
func nonzero(bad bool) {
	if bad {
		fault("division by 0 or -1")
	}
}

func simFloat(op []string) func(a, b, c uint64) uint64 {
	typ := op[len(op)-1]
	value, from := double, toDouble
	sign := uint64(1) << 63
	if typ == "f32" {
		value, from = single, toSingle
		sign = 1 << 31
	}
	two := func(f func(x, y float64) float64) func(a, b, c uint64) uint64 {
		return func(a, b, c uint64) uint64 { return from(f(value(a), value(b))) }
	}
	switch strings.Join(op[:len(op)-1], ".") {
	case "add.rn":
		return two(func(x, y float64) float64 { return x + y })
	case "sub.rn":
		return two(func(x, y float64) float64 { return x - y })
	case "mul.rn":
		return two(func(x, y float64) float64 { return x * y })
	case "div.rn":
		return two(func(x, y float64) float64 { return x / y })
	case "sqrt.rn":
		return func(a, b, c uint64) uint64 { return from(math.Sqrt(value(a))) }
	case "fma.rn":
		if typ == "f32" {
			return func(a, b, c uint64) uint64 { return toSingle(fmaSingle(single(a), single(b), single(c))) }
		}
		return func(a, b, c uint64) uint64 { return toDouble(math.FMA(double(a), double(b), double(c))) }
	case "neg":
		return func(a, b, c uint64) uint64 { return a ^ sign }
	case "abs":
		return func(a, b, c uint64) uint64 { return a &^ sign }
	case "copysign":
		return func(a, b, c uint64) uint64 { return a&sign | b&^sign }
	}
	return nil
}

// simPairs computes two halves.
func simPairs(op []string) func(a, b, c uint64) uint64 {
	if op[0] == "neg" {
		return func(a, b, c uint64) uint64 { return a ^ 0x80008000 }
	}
	f := map[string]func(x, y float64) float64{
		"add.rn": func(x, y float64) float64 { return x + y },
		"sub.rn": func(x, y float64) float64 { return x - y },
		"mul.rn": func(x, y float64) float64 { return x * y },
	}[strings.Join(op[:len(op)-1], ".")]
	if f == nil {
		return nil
	}
	return func(a, b, c uint64) uint64 {
		v := uint64(0)
		for shift := 0; shift < 32; shift += 16 {
			x, y := tile.HalfToFloat(uint16(a>>shift)), tile.HalfToFloat(uint16(b>>shift))
			v |= uint64(tile.HalfFromFloat64(f(float64(x), float64(y)))) << shift
		}
		return v
	}
}

func simConvert(op []string) func(a, b, c uint64) uint64 {
	from, to := op[len(op)-1], op[len(op)-2]
	how := ""
	if len(op) == 3 {
		how = op[0]
	}
	if from[0] != 'f' { // integers
		w := simWidth(from)
		number := func(v uint64) (int64, uint64) { return extend(v, w), v & mask(w) }
		switch {
		case to[0] != 'f' && how == "":
			kept, signed := mask(simWidth(to)), from[0] == 's'
			return func(a, _, _ uint64) uint64 {
				s, u := number(a)
				if signed {
					return uint64(s) & kept
				}
				return u & kept
			}
		case to == "f64" && how == "rn":
			return func(a, b, c uint64) uint64 {
				s, u := number(a)
				if from[0] == 's' {
					return toDouble(float64(s))
				}
				return toDouble(float64(u))
			}
		case to == "f32" && how == "rn":
			return func(a, b, c uint64) uint64 {
				s, u := number(a)
				if from[0] == 's' {
					return uint64(math.Float32bits(float32(s)))
				}
				return uint64(math.Float32bits(float32(u)))
			}
		}
		return nil
	}
	value := map[string]func(v uint64) float64{"f64": double, "f32": single,
		"f16": func(v uint64) float64 { return float64(tile.HalfToFloat(uint16(v))) }}[from]
	round := map[string]func(float64) float64{"rni": math.RoundToEven, "rmi": math.Floor, "rpi": math.Ceil, "rzi": math.Trunc}[how]
	switch {
	case value == nil:
		return nil
	case round != nil && to == from:
		if to == "f32" {
			return func(a, b, c uint64) uint64 { return toSingle(round(single(a))) }
		}
		return func(a, b, c uint64) uint64 { return toDouble(round(double(a))) }
	case round != nil && (to == "s32" || to == "s64"):
		w := simWidth(to)
		return func(a, b, c uint64) uint64 {
			v := round(value(a))
			limit := math.Ldexp(1, 8*w-1)
			switch {
			case v != v:
				return 0
			case v >= limit:
				return mask(w) >> 1
			case v < -limit:
				return 1 << (8*w - 1)
			}
			return uint64(int64(v)) & mask(w)
		}
	case to == "f64" && how == "" && from == "f32":
		return func(a, b, c uint64) uint64 { return toDouble(value(a)) }
	case to == "f32" && how == "rn" && from == "f64", to == "f32" && how == "" && from == "f16":
		return func(a, b, c uint64) uint64 { return toSingle(value(a)) }
	case to == "f16" && how == "rn":
		return func(a, b, c uint64) uint64 { return uint64(tile.HalfFromFloat64(value(a))) }
	}
	return nil
}
