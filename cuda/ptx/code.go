package ptx

import (
	"fmt"
	"math"
	"strings"
)

// class is a register class; the byte is the prefix of its registers' names.
type class byte

// The classes. Integers of up to 32 bits live in words, sign- or zero-extended as their
// dtype says.
const (
	pred  class = 'p' // one bit
	half  class = 'h' // 16 bits, only on the way to and from memory
	word  class = 'r' // 32 bits
	long  class = 'l' // 64 bits
	float class = 'f' // float32
	dbl   class = 'd' // float64
)

// classes is the order in which registers are declared.
var classes = []struct {
	class class
	typ   string
}{{pred, ".pred"}, {half, ".b16"}, {word, ".b32"}, {long, ".b64"}, {float, ".f32"}, {dbl, ".f64"}}

// code is the body of one function under construction: instructions, and how many registers
// of each class they use. Registers are written once, but for those of loops.
type code struct {
	body   strings.Builder
	used   map[class]int
	labels int
	calls  map[string]bool // library functions that the body calls
	bytes  bool            // elements in global memory are read and written byte by byte
	guard  string          // of stores; "" is none
}

func newCode() *code { return &code{used: map[class]int{}, calls: map[string]bool{}} }

// reg returns a new register.
func (c *code) reg(k class) string {
	c.used[k]++
	return fmt.Sprintf("%%%c%d", k, c.used[k])
}

// do appends an instruction without a result, or one whose first operand is an old register.
func (c *code) do(op string, args ...string) {
	c.body.WriteByte('\t')
	c.body.WriteString(op)
	for i, a := range args {
		if i == 0 {
			c.body.WriteByte(' ')
		} else {
			c.body.WriteString(", ")
		}
		c.body.WriteString(a)
	}
	c.body.WriteString(";\n")
}

// to appends an instruction with a result in a new register of class k.
func (c *code) to(k class, op string, args ...string) string {
	d := c.reg(k)
	c.do(op, append([]string{d}, args...)...)
	return d
}

func (c *code) pred(op string, args ...string) string  { return c.to(pred, op, args...) }
func (c *code) word(op string, args ...string) string  { return c.to(word, op, args...) }
func (c *code) long(op string, args ...string) string  { return c.to(long, op, args...) }
func (c *code) float(op string, args ...string) string { return c.to(float, op, args...) }
func (c *code) dbl(op string, args ...string) string   { return c.to(dbl, op, args...) }

// when appends a guarded instruction: "@%p1 bra done".
func (c *code) when(guard, op string, args ...string) {
	c.do("@"+guard+" "+op, args...)
}

// guarded appends an instruction that the guard guards, if there is one.
func (c *code) guarded(op string, args ...string) {
	if c.guard != "" {
		op = "@" + c.guard + " " + op
	}
	c.do(op, args...)
}

// label returns a new label; place puts it here.
func (c *code) label(name string) string {
	c.labels++
	return fmt.Sprintf("$%s_%d", name, c.labels)
}

func (c *code) place(label string) { fmt.Fprintf(&c.body, "%s:\n", label) }

// comment appends a remark, such as the tile instruction that is being lowered.
func (c *code) comment(text string) { fmt.Fprintf(&c.body, "\t// %s\n", text) }

// declarations returns the .reg lines of the function.
func (c *code) declarations() string {
	var b strings.Builder
	for _, k := range classes {
		if n := c.used[k.class]; n > 0 {
			fmt.Fprintf(&b, "\t.reg %s %%%c<%d>;\n", k.typ, k.class, n+1)
		}
	}
	return b.String()
}

// Literals. Floating-point ones are written as bits, so that nothing is rounded on the way.

func f32(v float64) string { return fmt.Sprintf("0f%08X", math.Float32bits(float32(v))) }
func f64(v float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(v)) }
func hex(v uint64) string  { return fmt.Sprintf("0x%X", v) }
func dec(v int) string     { return fmt.Sprint(v) }

// fp is floating-point arithmetic at one precision: the same sequence of instructions serves
// float32 and float64. Every rounding is spelled out (.rn), because the assembler may
// contract a product and a sum that are not.
type fp struct {
	*code
	t string // f32 or f64
	k class
}

func (c *code) single() fp { return fp{c, "f32", float} }
func (c *code) double() fp { return fp{c, "f64", dbl} }

// num is a literal.
func (f fp) num(v float64) string {
	if f.t == "f32" {
		return f32(v)
	}
	return f64(v)
}

func (f fp) add(a, b string) string    { return f.to(f.k, "add.rn."+f.t, a, b) }
func (f fp) sub(a, b string) string    { return f.to(f.k, "sub.rn."+f.t, a, b) }
func (f fp) mul(a, b string) string    { return f.to(f.k, "mul.rn."+f.t, a, b) }
func (f fp) div(a, b string) string    { return f.to(f.k, "div.rn."+f.t, a, b) }
func (f fp) fma(a, b, d string) string { return f.to(f.k, "fma.rn."+f.t, a, b, d) }
func (f fp) sqrt(a string) string      { return f.to(f.k, "sqrt.rn."+f.t, a) }
func (f fp) neg(a string) string       { return f.to(f.k, "neg."+f.t, a) }
func (f fp) abs(a string) string       { return f.to(f.k, "abs."+f.t, a) }
func (f fp) mov(a string) string       { return f.to(f.k, "mov."+f.t, a) }

// toSign gives the size of value the sign of sign.
func (f fp) toSign(sign, value string) string { return f.to(f.k, "copysign."+f.t, sign, value) }

// round rounds to an integer: rni (even), rmi (down), rpi (up) or rzi (to zero).
func (f fp) round(how, a string) string { return f.to(f.k, "cvt."+how+"."+f.t+"."+f.t, a) }

// cmp compares: eq, lt, le, gt, ge (false on NaN), neu, ltu (true on NaN), nan, num.
func (f fp) cmp(how, a, b string) string { return f.pred("setp."+how+"."+f.t, a, b) }

// sel is a where p holds, b elsewhere.
func (f fp) sel(p, a, b string) string { return f.to(f.k, "selp."+f.t, a, b, p) }

// Logic of predicates.

func (c *code) and(a, b string) string { return c.pred("and.pred", a, b) }
func (c *code) or(a, b string) string  { return c.pred("or.pred", a, b) }
func (c *code) xor(a, b string) string { return c.pred("xor.pred", a, b) }
func (c *code) not(a string) string    { return c.pred("not.pred", a) }

// call calls a library function with arguments and a result of class k.
func (c *code) call(k class, name string, args ...string) string {
	c.calls[name] = true
	d := c.reg(k)
	c.do("call", "("+d+")", name, "("+strings.Join(args, ", ")+")")
	return d
}
