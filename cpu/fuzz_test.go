package cpu

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"weft/tile"
	"weft/tile/tiletest"
)

// fenced is a device whose buffers lie between pages that must not be touched, at their end or at
// their start: reading or writing one byte beyond a buffer ends the test.
type fenced struct {
	*Device
	t       *testing.T
	atStart bool
	mapped  map[unsafe.Pointer][]byte
}

func (g *fenced) Alloc(n int64) (tile.Buffer, error) {
	page := os.Getpagesize()
	pages := (int(max(n, 1)) + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, pages+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return tile.Buffer{}, err
	}
	inside := b[page : page+pages]
	if err := syscall.Mprotect(inside, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return tile.Buffer{}, err
	}
	at := pages - int(n)
	if g.atStart {
		at = 0
	}
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(inside)), at)
	g.mapped[p] = b
	return tile.Buffer{Host: p, Size: n}, nil
}

func (g *fenced) Free(b tile.Buffer) {
	if err := syscall.Munmap(g.mapped[b.Host]); err != nil {
		g.t.Error(err)
	}
	delete(g.mapped, b.Host)
}

// fence opens a device for a seed: the instruction set and the side of the fence follow from it.
func fence(t *testing.T, seed uint64) *fenced {
	isas := ISAs()
	d := New(Options{Workers: 1, ISA: isas[seed%uint64(len(isas))]})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fenced{d, t, seed/uint64(len(isas))%2 == 0, map[unsafe.Pointer][]byte{}}
}

// FuzzLaunch compares launches that a seed makes up with the reference device.
func FuzzLaunch(f *testing.F) {
	for seed := range uint64(150) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tiletest.Random(t, seed, fence(t, seed)) })
}

// FuzzFlow compares launches with control flow and gathers that a seed makes up.
func FuzzFlow(f *testing.F) {
	for seed := range uint64(150) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tiletest.RandomFlow(t, seed, fence(t, seed)) })
}

// FuzzProgram gives the engine any program text that tile accepts; it must run, on few points, or say
// which index is out of bounds. Loops that go on are stopped.
func FuzzProgram(f *testing.F) {
	for _, text := range []string{
		"program axpy rank 1\nparam p0 in float64\nparam p1 in float64\nparam p2 out float64\nuniform u0 float64\n" +
			"v0 = load float64 p0\nv1 = uniform float64 u0\nv2 = mul float64 v0 v1\nv3 = load float64 p1\nv4 = add float64 v2 v3\nstore p2 v4\n",
		"program chain rank 2\nparam p0 in float32\nparam p1 out float32\nv0 = load float32 p0\nv1 = add float32 v0 v0\nv2 = add float32 v1 v0\n" +
			"v3 = add float32 v0 v2\nv4 = mul float32 v3 v0\nv5 = sub float32 v4 v0\nv6 = mul float32 v5 v5\nv7 = sub float32 v0 v6\nstore p1 v7\n",
		"program half rank 0\nparam p0 in float16\nparam p1 out complex128\nv0 = load float16 p0\nv1 = pow float16 v0 v0\nv2 = cast complex128 v1\nstore p1 v2\n",
		"program position rank 2\nparam p0 in float64\nparam p1 out int64\nv0 = load float64 p0\nv1 = isnan bool v0\nv2 = index int64 1\n" +
			"v3 = const int64 9\nv4 = select int64 v1 v2 v3\nreduce min p1 v4\n",
		"program turns rank 1\nparam p0 in int64\nparam p1 in float32 axes 2\nparam p2 update float32\nv0 = load int64 p0\nv1 = const bool true\nv2 = index int64 0\n" +
			"loop\n  v4 = carry bool v1\n  v5 = carry int64 v0\nwhile v4\n  v7 = gt bool v5 v2\n  next v4 v7\n  next v5 v2\nend\n" +
			"if v4\nelse\n  v13 = gather float32 p1 v5 v2\n  store p2 v13\nend\n",
		"program endless rank 0\nparam p0 out bool\nv0 = const bool true\nloop\n  v2 = carry bool v0\nwhile v2\n  next v2 v0\nend\nstore p0 v2\n",
	} {
		f.Add(text, uint64(len(text)))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		p, err := tile.Parse(text)
		if err != nil || tile.Check(p) != nil || p.Rank > 4 || len(p.Params) > 20 || len(p.Code) > 200 || p.Routine != "" || p.Threads {
			return
		}
		d := fence(t, seed)
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatalf("Compile: %v\n%v", err, p)
		}
		l := &tile.Launch{Exe: exe, Program: p, Shape: make([]int, p.Rank), Origin: make([]int, p.Rank)}
		for k := range l.Shape {
			l.Shape[k] = 1 + int(seed>>(8*k)%9)*int(1+seed%11)/(1+k)
		}
		if p.Reduces() {
			l.Reduced = tile.Axes(seed>>40) & (1<<p.Rank - 1)
			l.Block = tile.BlockShape(l.Shape, l.Reduced)
		}
		for _, u := range p.Uniforms {
			l.Uniforms = append(l.Uniforms, tile.Scalar{Type: u})
		}
		for _, param := range p.Params {
			shape := l.Shape
			if param.Dir == tile.Out && p.Reduces() {
				shape = tile.GridShape(l.Shape, l.Block)
			}
			var own []int
			for k := range param.Axes {
				own = append(own, int(seed>>(6*k)%8))
				shape = own
			}
			strides := make([]int64, len(shape))
			n := int64(param.Type.Size())
			for k := len(shape) - 1; k >= 0; k-- {
				strides[k] = n
				n *= int64(shape[k])
			}
			buf, err := d.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Free(buf)
			l.Args = append(l.Args, tile.Binding{Buffer: buf, Strides: strides, Shape: own})
		}
		l.Stop = new(tile.Stop)
		timer := time.AfterFunc(50*time.Millisecond, l.Stop.Set)
		d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
		timer.Stop()
		var fault *tile.DataError
		if err != nil && !errors.Is(err, tile.ErrStopped) && !errors.As(err, &fault) {
			t.Fatalf("Launch: %v\n%v", err, p)
		}
	})
}
