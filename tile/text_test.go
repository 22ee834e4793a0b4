package tile

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// axpy builds the program of the package documentation.
func axpy() *Program {
	b := NewBuilder("axpy", 1)
	x := b.Load(Float64)
	a := b.Uniform(Float64)
	ax := b.Do(Mul, x, a)
	y := b.Load(Float64)
	b.Store(b.Do(Add, ax, y))
	return b.Program()
}

func TestRoundTrip(t *testing.T) {
	p := axpy()
	if err := Check(p); err != nil {
		t.Fatal(err)
	}
	q, err := Parse(p.String())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, q) {
		t.Errorf("got\n%#v\nwant\n%#v", q, p)
	}
}

// TestRoundTripEverything gives every opcode and dtype one instruction.
func TestRoundTripEverything(t *testing.T) {
	for _, op := range Opcodes() {
		for _, d := range DTypes() {
			if !op.IsScalar() || !op.Accepts(d) {
				continue
			}
			b := NewBuilder("every "+op.String(), 2)
			x := b.Load(d)
			switch {
			case op == Cast:
				for _, to := range DTypes() {
					b.Store(b.Cast(to, x))
				}
			case op == Select:
				b.Store(b.Do(Select, b.Load(Bool), x, b.Load(d)))
			case op.Arity() == 1:
				b.Store(b.Do(op, x))
			default:
				args := []Value{x}
				for len(args) < op.Arity() {
					args = append(args, b.Load(d))
				}
				b.Store(b.Do(op, args...))
			}
			p := b.Program()
			if err := Check(p); err != nil {
				t.Error(err)
			}
			q, err := Parse(p.String())
			if err != nil {
				t.Error(err)
			} else if !reflect.DeepEqual(p, q) {
				t.Errorf("%v %v does not round-trip:\n%v%v", op, d, p, q)
			}
		}
	}
}

func TestScalarRoundTrip(t *testing.T) {
	for _, d := range DTypes() {
		for _, bits := range []uint64{0, 1, 2, 0x7c00, 0x7c01, 0x7e00, 0xfc00, 0xfe00, 0x8000, 0x3555, 0x7f800000, 0x7f800001,
			0x7fc00000, 0xffc00000, 0x80000000, 0x3eaaaaab, 1 << 63, 0x7ff0 << 48, 0x7ff8 << 48, 0xfff8 << 48, 0x7ff8<<48 | 5,
			math.Float64bits(0.1), math.Float64bits(-math.MaxFloat64), 0x7fc000003f800000, math.MaxUint64} {
			s := Scalar{Type: d, Bits: [2]uint64{bits}}
			switch {
			case d == Bool:
				s.Bits[0] &= 1
			case d == Complex128:
				s.Bits[1] = ^bits
			case d.Size() < 8:
				s.Bits[0] &= 1<<(8*d.Size()) - 1
			}
			got, err := ParseScalar(d, s.String())
			if err != nil {
				t.Errorf("%v of bits %#x: %v", d, s.Bits, err)
			} else if got != s {
				t.Errorf("%v of bits %#x is %v, which reads back as %#x", d, s.Bits, s, got.Bits)
			}
		}
	}
}

func TestParseScalarRefuses(t *testing.T) {
	for _, c := range []struct {
		d    DType
		text string
	}{
		{Bool, "1"}, {Int8, "128"}, {Int8, "1.0"}, {Uint8, "-1"}, {Float64, "0x1p3"}, {Float64, "1_0"}, {Float64, "infinity"},
		{Float64, ""}, {Float64, "nan:0x3ff0000000000000"}, {Float16, "65520"}, {Float32, "1e39"}, {Complex64, "1"},
		{Complex64, "(1,2"}, {Complex64, "(1)"}, {Complex128, "(1,2,3)"}, {Invalid, "0"},
	} {
		if s, err := ParseScalar(c.d, c.text); err == nil {
			t.Errorf("%q as %v gave %v; want an error", c.text, c.d, s)
		}
	}
}

// TestStringOfGarbage prints programs that Check refuses; it must not panic.
func TestStringOfGarbage(t *testing.T) {
	p := &Program{Rank: -1, Params: []Param{{Dir: 7, Type: 99}}, Uniforms: []DType{99}, Code: []Instr{
		{Op: 250, Type: 99}, {Op: Const, Type: Int8, Lit: Scalar{Type: 99}}, {Op: Reduce, Comb: 99}, {Op: Index, N: -4},
	}}
	if text := p.String(); !strings.Contains(text, "opcode(250)") {
		t.Errorf("got %s", text)
	}
	if err := Check(p); err == nil {
		t.Error("Check accepts garbage")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(axpy().String())
	f.Add("program \"a b\" rank 2\nparam p0 out complex64\n\n# remark\nv0 = const complex64 (nan:0xffc00001,-0)\nreduce sum p0 v0\n")
	f.Add("program x rank 1\nparam p0 in int8\nparam p1 out bool\nuniform u0 int8\nv0 = load int8 p0\nv1 = index int64 0\nv2 = cast int8 v1\nv3 = lt bool v0 v2\nstore p1 v3\n")
	f.Add("program x rank 1\nparam p0 in int8 axes 1\nparam p1 out int8\nv0 = index int64 0\nloop\n  v2 = carry int64 v0\n  v3 = cast bool v2\n" +
		"while v3\n  if v3\n  else\n    v7 = gather int8 p0 v2\n  end\n  v9 = sub int64 v2 v2\n  next v2 v9\nend\nif v3\nend\nv14 = merge int64 v2 v0\nv15 = cast int8 v14\nstore p1 v15\n")
	f.Add("program x rank 0\nthreads sure bound 128 registers 32 lines\nparam p0 update int32 axes 1\nv0 = const int64 1\nput p0 v0\n")
	f.Add("program x rank 0\nthreads\nparam p0 update int32 axes 1\narray a0 shared int32 4 4\narray a1 own int8 1\nv0 = thread.lane int32\nv1 = size int64 a0 1\n" +
		"v2 = element int32 a0 v1 v1\nput p0 v2 v1\nv4 = atomic.add int32 p0 v2 v1\nv5 = cas int32 p0 v0 v0 v1\nbarrier\nv7 = const bool true\nv8 = tally.or int32 v7\n" +
		"fence.system\nv10 = const uint32 7\nv11 = vote.eq bool v10 v7\nv12 = shuffle.xor int32 v10 v2 v0\nv13 = match.all uint32 v10 v2\nv14 = active uint32\nleave\nfail 3 v1 v2\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		printed := p.String()
		q, err := Parse(printed)
		if err != nil {
			t.Fatalf("%v\nin the printed form of\n%s", err, text)
		}
		if !reflect.DeepEqual(p, q) || q.String() != printed {
			t.Fatalf("%q prints as %q, which reads back as %q", text, printed, q.String())
		}
		_ = Check(p) // must not panic
	})
}
