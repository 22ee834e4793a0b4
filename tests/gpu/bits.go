package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"weft/cuda/driver"
)

// class is how PTX holds values of some types: the register, its size, and how 64 bits in memory become one and back.
type class struct {
	reg      string
	bits     int
	in, out  string // %s is the register, %l9 the 64 bits
	operands []uint64
}

// form is an instruction: the text with $d, $a, $b and $c for its registers, and the types of these.
type form struct {
	text string
	to   string
	from []string
}

var halves = []uint64{0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d01}

var singles = []uint64{
	0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800001, 0x7f7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
}

var doubles = []uint64{
	0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
	0xbff0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8123456789abc, 0x7ff0123456789abc,
}

// What conversions to integers are given beside those: the ends of the integers' ranges, and halves that round.
var (
	halfEnds = []uint64{
		0x3800, 0x3e00, 0xb800, 0xbe00, 0x57f0, 0x5800, 0xd800, 0xd808, 0x5bf8, 0x5c00, 0x77ff, 0x7800, 0xf800, 0xf801,
	}
	singleEnds = []uint64{
		0x3f000000, 0x3fc00000, 0xbf000000, 0xbfc00000, 0x42fe0000, 0x43000000, 0xc3000000, 0xc3010000, 0x437f0000, 0x43800000,
		0x46fffe00, 0x47000000, 0xc7000000, 0xc7000100, 0x477fff00, 0x47800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
		0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, 0xbf800000,
	}
	doubleEnds = []uint64{
		0x3fe0000000000000, 0x3ff8000000000000, 0xbfe0000000000000, 0xbff8000000000000, 0x405fc00000000000, 0x4060000000000000,
		0xc060000000000000, 0xc060200000000000, 0x406fe00000000000, 0x4070000000000000, 0x40dfffc000000000, 0x40e0000000000000,
		0xc0e0000000000000, 0xc0e0002000000000, 0x40efffe000000000, 0x40f0000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
		0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
		0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff, 0x43f0000000000000, 0xbff0000000000000,
		0x40effc0000000000, 0x40effe0000000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3690000000000000, 0x3690000000000001,
	}
)

var wholes = []uint64{
	0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
}

// The classes by type. Integers of 8 and 16 bits are in registers of 32, of which all bits are shown.
func classes() map[string]*class {
	word := func(operands []uint64) *class {
		return &class{"b32", 32, "cvt.u32.u64 %s, %%l9;", "cvt.u64.u32 %%l9, %s;", operands}
	}
	long := &class{"b64", 64, "mov.b64 %s, %%l9;", "mov.b64 %%l9, %s;", wholes}
	m := map[string]*class{
		"f16": {"b16", 16, "cvt.u16.u64 %s, %%l9;", "cvt.u64.u16 %%l9, %s;", halves},
		"f32": {"f32", 32, "cvt.u32.u64 %%r9, %%l9; mov.b32 %s, %%r9;", "mov.b32 %%r9, %s; cvt.u64.u32 %%l9, %%r9;", singles},
		"f64": {"f64", 64, "mov.b64 %s, %%l9;", "mov.b64 %%l9, %s;", doubles},
		"s64": long, "u64": long, "b64": long,
		"pred": {"pred", 4, "", "selp.u64 %%l9, 1, 0, %s;", nil},
	}
	for _, t := range []string{"s8", "u8", "s16", "u16", "s32", "u32", "b32"} {
		m[t] = word(wholes[:25])
	}
	return m
}

// forms lists what is looked at.
func forms() []form {
	var all []form
	add := func(to, text string, from ...string) { all = append(all, form{text, to, from}) }
	for _, t := range []string{"f32", "f64"} {
		for _, op := range []string{"add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max", "copysign"} {
			add(t, op+"."+t+" $d, $a, $b;", t, t)
		}
		for _, op := range []string{"sqrt.rn", "rcp.rn", "neg", "abs"} {
			add(t, op+"."+t+" $d, $a;", t)
		}
		add(t, "fma.rn."+t+" $d, $a, $b, $c;", t, t, t)
		for _, op := range []string{"eq", "ne", "lt", "neu", "gtu", "num", "nan"} {
			add("pred", "setp."+op+"."+t+" $d, $a, $b;", t, t)
		}
	}
	for _, op := range []string{"add.rn", "sub.rn", "mul.rn"} {
		add("f16", op+".f16 $d, $a, $b;", "f16", "f16")
	}
	add("f16", "fma.rn.f16 $d, $a, $b, $c;", "f16", "f16", "f16")
	add("f16", "neg.f16 $d, $a;", "f16")
	add("f16", "abs.f16 $d, $a;", "f16")

	floats, integers := []string{"f16", "f32", "f64"}, []string{"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}
	for i, from := range floats {
		for j, to := range floats {
			switch {
			case i < j:
				add(to, "cvt."+to+"."+from+" $d, $a;", from)
			case i > j:
				add(to, "cvt.rn."+to+"."+from+" $d, $a;", from)
			default:
				for _, round := range []string{"rni", "rzi", "rmi", "rpi"} {
					add(to, "cvt."+round+"."+to+"."+from+" $d, $a;", from)
				}
			}
		}
		for _, t := range integers {
			add(t, "cvt.rzi."+t+"."+from+" $d, $a;", from)
			add(from, "cvt.rn."+from+"."+t+" $d, $a;", t)
		}
	}
	add("s32", "cvt.rni.s32.f64 $d, $a;", "f64")
	add("s32", "cvt.rni.s32.f32 $d, $a;", "f32")
	for _, from := range integers {
		for _, to := range integers {
			if from != to {
				add(to, "cvt."+to+"."+from+" $d, $a;", from)
			}
		}
	}
	for _, n := range []string{"32", "64"} {
		add("b"+n, "shl.b"+n+" $d, $a, $b;", "b"+n, "u32")
		for _, t := range []string{"s" + n, "u" + n} {
			add(t, "shr."+t+" $d, $a, $b;", t, "u32")
			for _, op := range []string{"div", "rem", "mul.lo", "mul.hi", "min", "max"} {
				add(t, op+"."+t+" $d, $a, $b;", t, t)
			}
		}
		add("s"+n, "abs.s"+n+" $d, $a;", "s"+n)
		add("s"+n, "neg.s"+n+" $d, $a;", "s"+n)
		add("u32", "clz.b"+n+" $d, $a;", "b"+n)
		add("u32", "popc.b"+n+" $d, $a;", "b"+n)
		add("s"+n, "bfe.s"+n+" $d, $a, $b, 8;", "s"+n, "u32")
	}
	add("b32", "shf.l.wrap.b32 $d, $a, $a, $b;", "b32", "u32")
	return all
}

// operands are the values of operand i of a form.
func (f form) operands(i int) []uint64 {
	t := f.from[i]
	values := classes()[t].operands
	switch {
	case len(f.from) == 3: // of the long lists only the sharp ends: 0, -0, the smallest, 1, the largest, inf, NaN
		pick := []uint64{}
		for _, k := range []int{0, 1, 2, 5, 7, 8, 9, 11} {
			pick = append(pick, values[k])
		}
		return pick
	case len(f.from) == 1 && strings.HasPrefix(f.text, "cvt") && t[0] == 'f':
		return append(append([]uint64{}, values...), map[string][]uint64{"f16": halfEnds, "f32": singleEnds, "f64": doubleEnds}[t]...)
	case len(f.from) == 2 && t[0] != 'f' && i == 0:
		return []uint64{0, 1, 7, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff}[:mine(t)]
	case len(f.from) == 2 && t[0] != 'f' && strings.HasPrefix(f.text, "sh"):
		return []uint64{0, 1, 8, 31, 32, 33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff}
	case len(f.from) == 2 && t[0] != 'f' && strings.HasPrefix(f.text, "bfe"):
		return []uint64{0, 1, 24, 25, 31, 32, 56, 57, 63, 64, 255, 256, 0xffffffff}
	case len(f.from) == 2 && t[0] != 'f':
		return []uint64{0, 1, 2, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff}[:mine(t)]
	}
	return values
}

// mine is how many of the ten operands of an integer instruction its type has.
func mine(t string) int {
	if strings.HasSuffix(t, "64") {
		return 10
	}
	return 7
}

// module writes the form as a function k(in, out, n): three operands of 64 bits for each thread, one result.
func (f form) module() string {
	all := classes()
	var b strings.Builder
	b.WriteString(header + ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 n)\n{\n")
	b.WriteString(".reg .pred %p<9>;\n.reg .b32 %r<10>;\n.reg .b64 %l<10>;\n")
	text := f.text
	for i, t := range f.from {
		name := string(rune('a' + i))
		fmt.Fprintf(&b, ".reg .%s %%v%s;\n", all[t].reg, name)
		text = strings.ReplaceAll(text, "$"+name, "%v"+name)
	}
	fmt.Fprintf(&b, ".reg .%s %%vd;\n", all[f.to].reg)
	b.WriteString("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\ncvt.u64.u32 %l1, %r4;\n")
	b.WriteString("ld.param.u64 %l2, [n];\nsetp.ge.u64 %p1, %l1, %l2;\n@%p1 bra done;\n")
	b.WriteString("ld.param.u64 %l3, [in];\nmad.lo.u64 %l3, %l1, 24, %l3;\nld.param.u64 %l4, [out];\nmad.lo.u64 %l4, %l1, 8, %l4;\n")
	for i, t := range f.from {
		fmt.Fprintf(&b, "ld.global.u64 %%l9, [%%l3+%d];\n", 8*i)
		fmt.Fprintf(&b, all[t].in+"\n", "%v"+string(rune('a'+i)))
	}
	b.WriteString(strings.ReplaceAll(text, "$d", "%vd") + "\n")
	fmt.Fprintf(&b, all[f.to].out+"\n", "%vd")
	b.WriteString("st.global.u64 [%l4], %l9;\ndone:\nret;\n}\n")
	return b.String()
}

// results runs the form on every combination of its operands, the last one the fastest.
func (f form) results(s *session) ([]uint64, error) {
	n := 1
	for i := range f.from {
		n *= len(f.operands(i))
	}
	in, out := make([]byte, 24*n), make([]byte, 8*n)
	for at := range n {
		rest := at
		for i := len(f.from) - 1; i >= 0; i-- {
			values := f.operands(i)
			binary.LittleEndian.PutUint64(in[24*at+8*i:], values[rest%len(values)])
			rest /= len(values)
		}
	}
	if err := s.apply(f.module(), in, out); err != nil {
		return nil, err
	}
	results := make([]uint64, n)
	for i := range results {
		results[i] = binary.LittleEndian.Uint64(out[8*i:])
	}
	return results, nil
}

// apply runs a function k(in, out, n), of which n is that of 8-byte results.
func (s *session) apply(text string, in, out []byte) error {
	m, _, err := s.LoadModule(text)
	if err != nil {
		return err
	}
	defer m.Unload()
	k, err := m.Function("k")
	if err != nil {
		return err
	}
	a, err := s.Alloc(int64(len(in)))
	if err != nil {
		return err
	}
	defer s.Free(a)
	b, err := s.Alloc(int64(len(out)))
	if err != nil {
		return err
	}
	defer s.Free(b)
	q, err := s.NewQueue()
	if err != nil {
		return err
	}
	defer q.Close()
	n := len(out) / 8
	var batch driver.Batch
	batch.Add(k, [3]uint32{uint32(n+63) / 64, 1, 1}, [3]uint32{64, 1, 1}, 0, uint64(a), uint64(b), uint64(n))
	if err := s.CopyIn(a, in); err != nil {
		return err
	}
	if err := q.Launch(&batch); err != nil {
		return err
	}
	if err := q.Synchronize(); err != nil {
		return err
	}
	return s.CopyOut(out, b)
}

// bitTables writes for each form a line for each combination of all operands but the last: these, and the results for
// all of the last.
func bitTables(s *session) {
	all := classes()
	for _, f := range forms() {
		results, err := f.results(s)
		if !s.said(err, "%s", f.text) {
			continue
		}
		last := len(f.from) - 1
		columns := f.operands(last)
		fmt.Fprintf(s.w, "%*s", 2*last, "")
		for _, v := range columns {
			fmt.Fprintf(s.w, " %s", hex(v, all[f.from[last]].bits))
		}
		fmt.Fprintln(s.w)
		for row := range len(results) / len(columns) {
			rest, head := row, ""
			for i := last - 1; i >= 0; i-- {
				values := f.operands(i)
				head = hex(values[rest%len(values)], all[f.from[i]].bits) + " " + head
				rest /= len(values)
			}
			fmt.Fprintf(s.w, "  %s=", head)
			for _, v := range results[row*len(columns):][:len(columns)] {
				fmt.Fprintf(s.w, " %s", hex(v, all[f.to].bits))
			}
			fmt.Fprintln(s.w)
		}
	}
}

// hex prints the low bits of a value.
func hex(v uint64, bits int) string {
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return fmt.Sprintf("%0*x", (bits+3)/4, v)
}
