//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// A callable is a function that other PTX calls: a program, and what it gives for arguments, all as bytes. Arguments
// lie 16 bytes apart.
type callable struct {
	program string
	args    []tile.DType
	result  tile.DType
	given   []any
	want    any
}

var callables = []callable{
	{"v0 = load float64 p0\nv1 = load int8 p1\nv2 = cast float64 v1\nv3 = gt bool v0 v2\nv4 = select float64 v3 v2 v0\nstore p2 v4",
		[]tile.DType{tile.Float64, tile.Int8}, tile.Float64, []any{3.5, int8(-2)}, -2.0},
	{"v0 = load int16 p0\nv1 = const int16 1\nloop\n  v3 = carry int16 v0\n  v4 = gt bool v3 v1\nwhile v4\n  v6 = shr int16 v3 v1\n  next v3 v6\nend\nstore p1 v3",
		[]tile.DType{tile.Int16}, tile.Int16, []any{int16(-300)}, int16(-300)},
	{"v0 = load float16 p0\nv1 = load float16 p1\nv2 = add float16 v0 v1\nstore p2 v2",
		[]tile.DType{tile.Float16, tile.Float16}, tile.Float16, []any{uint16(0x3e00), uint16(0x4000)}, uint16(0x4300)}, // 1.5 + 2
	{"v0 = load complex128 p0\nv1 = load uint32 p1\nv2 = cast complex128 v1\nv3 = mul complex128 v0 v2\nstore p2 v3",
		[]tile.DType{tile.Complex128, tile.Uint32}, tile.Complex128, []any{complex(1.5, -2), uint32(3)}, complex(4.5, -6)},
	{"v0 = load complex64 p0\nv1 = load float32 p1\nv2 = cast complex64 v1\nv3 = ne bool v0 v2\nstore p2 v3",
		[]tile.DType{tile.Complex64, tile.Float32}, tile.Bool, []any{complex64(complex(2, 0)), float32(2.5)}, true},
	{"v0 = load float64 p0\nv1 = exp float64 v0\nstore p1 v1", []tile.DType{tile.Float64}, tile.Float64, []any{1.0}, math.E},
}

// Functions of both ABIs are called by a kernel that is written by hand, as other compilers' are.
func TestFunctionsThatOtherPTXCalls(t *testing.T) {
	needFake(t)
	d := open(t, 0)
	for i, c := range callables {
		for _, abi := range []ptx.ABI{ptx.ABIC, ptx.ABINumba} {
			if got, err := called(d, c, abi); err != nil {
				t.Errorf("callable %d, ABI %d: %v", i, abi, err)
			} else if want := asBytes(c.want); !bytes.Equal(got, want) {
				t.Errorf("callable %d, ABI %d: got % x, want % x", i, abi, got, want)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func asBytes(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// called runs a function on a device, and returns the bytes of its result.
func called(d *Device, c callable, abi ptx.ABI) ([]byte, error) {
	var params strings.Builder
	inputs := make([]int, len(c.args))
	for i, t := range c.args {
		fmt.Fprintf(&params, "param p%d in %v\n", i, t)
		inputs[i] = i
	}
	p, err := tile.Parse(fmt.Sprintf("program called rank 1\n%sparam p%d out %v\n%s\n", params.String(), len(c.args), c.result, c.program))
	if err != nil {
		return nil, err
	}
	k, err := ptx.Function(p, "called", c.args, inputs, abi)
	if err != nil {
		return nil, err
	}
	m, _, err := d.dev.LoadModule(ptx.Module(ptx.Target{}, k) + caller(c, abi))
	if err != nil {
		return nil, err
	}
	f, err := m.Function("caller")
	if err != nil {
		return nil, err
	}
	given := make([]byte, 128)
	for i, v := range c.given {
		copy(given[16*i:], asBytes(v))
	}
	at, err := d.dev.Alloc(int64(len(given)))
	if err != nil {
		return nil, err
	}
	q, err := d.dev.NewQueue()
	if err != nil {
		return nil, err
	}
	var b driver.Batch
	b.Add(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, uint64(at))
	err = errors.Join(d.dev.CopyIn(at, given), d.dev.Synchronize(), q.Launch(&b), q.Synchronize(), d.dev.CopyOut(given, at), q.Close(), d.dev.Free(at), m.Unload())
	return given[64 : 64+c.result.Size()], err
}

// piece is what is moved at once of a value that is handed over.
type piece struct{ kind, register string }

// handed is how a value is handed over: the type of a parameter, what is behind its name, and pieces of so many bytes.
func handed(t tile.DType) (declared, behind string, pieces []piece, bytes int) {
	word := map[int]piece{2: {"b16", "%%h%d"}, 4: {"b32", "%%r%d"}, 8: {"b64", "%%l%d"}}
	switch {
	case t == tile.Float16:
		return ".align 2 .b8", "[2]", []piece{word[2]}, 2
	case t.Is(tile.KindComplex):
		half := t.Size() / 2
		return fmt.Sprintf(".align %d .b8", half), fmt.Sprintf("[%d]", t.Size()), []piece{word[half], word[half]}, half
	case t.Size() < 4:
		return ".b32", "", []piece{word[4]}, 4
	}
	return fmt.Sprintf(".b%d", 8*t.Size()), "", []piece{word[t.Size()]}, t.Size()
}

// loaded is the type of a load or store of memory of a value that is handed over as a piece.
func loaded(t tile.DType, p piece) string {
	if t.Size() >= 4 || t == tile.Float16 {
		return p.kind
	}
	if t.Is(tile.KindInt) {
		return fmt.Sprintf("s%d", 8*t.Size())
	}
	return fmt.Sprintf("u%d", 8*t.Size())
}

// caller is a kernel that calls a function with what lies in memory, and puts the result 64 bytes behind it.
func caller(c callable, abi ptx.ABI) string {
	var b strings.Builder
	n := 1
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	register := func(p piece) string { n++; return fmt.Sprintf(p.register, n) }
	var names []string
	if abi == ptx.ABINumba {
		line(".param .b64 place;\n\tadd.s64 %%l1, %%l0, 64;\n\tst.param.b64 [place+0], %%l1;")
		names = append(names, "place")
	}
	for i, t := range c.args {
		declared, behind, pieces, size := handed(t)
		line(".param %s a%d%s;", declared, i, behind)
		for k, p := range pieces {
			r := register(p)
			line("ld.global.%s %s, [%%l0+%d];\n\tst.param.%s [a%d+%d], %s;", loaded(t, p), r, 16*i+k*size, p.kind, i, k*size, r)
		}
		names = append(names, fmt.Sprintf("a%d", i))
	}
	declared, behind, pieces, size := handed(c.result)
	if abi == ptx.ABINumba {
		declared, behind, pieces = ".b32", "", nil
	}
	line(".param %s made%s;\n\tcall (made), called, (%s);", declared, behind, strings.Join(names, ", "))
	for k, p := range pieces {
		r := register(p)
		line("ld.param.%s %s, [made+%d];\n\tst.global.%s %s;", p.kind, r, k*size, strings.Replace(loaded(c.result, p), "s", "u", 1), fmt.Sprintf("[%%l0+%d], %s", 64+k*size, r))
	}
	return ".visible .entry caller(.param .u64 memory)\n{\n\t.reg .b16 %h<20>;\n\t.reg .b32 %r<20>;\n\t.reg .b64 %l<20>;\n" +
		"\tld.param.u64 %l0, [memory];\n\tcvta.to.global.u64 %l0, %l0;\n" + b.String() + "\tret;\n}\n"
}
