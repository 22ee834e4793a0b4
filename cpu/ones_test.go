package cpu

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// pullText is one coordinate of an n-body step, for a point at a distance of two elements from the next: all points
// read the same body in each turn.
const pullText = `program pull rank 1
param p0 in float64
param p1 in float64 axes 1
param p2 out float64
uniform u0 int64
v0 = const int64 0
v1 = const int64 1
v2 = const float64 0.001
v3 = const float64 0
v4 = uniform int64 u0
v5 = load float64 p0
loop
  v7 = carry int64 v0
  v8 = carry float64 v3
  v9 = carry int64 v1
  v10 = lt bool v7 v4
while v10
  v12 = gather float64 p1 v7
  v13 = sub float64 v12 v5
  v14 = mul float64 v13 v13
  v15 = add float64 v14 v2
  v16 = div float64 v13 v15
  v17 = gt bool v12 v3
  if v17
    v19 = add float64 v8 v16
    v20 = gather float64 p1 v0
    v21 = add float64 v19 v20
  end
  v23 = merge float64 v21 v8
  v24 = add int64 v9 v7
  next v7 v9
  next v8 v23
  next v9 v24
end
store p2 v8
`

// What loops compute from single elements is one, whatever way the lanes take: with the reference's bits, and errors.
func TestOnes(t *testing.T) {
	p, err := tile.Parse(pullText)
	if err != nil {
		t.Fatal(err)
	}
	lo, err := lower(p, vm.NewTable(), vm.Micros())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range lo.flow.marks {
		if m.kind == markGather && lo.places[m.d].kind != inOne {
			t.Errorf("a gather of what is the same in all lanes gives each lane its own")
		}
	}
	const n, bodies = 300, 60
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	for _, turns := range []int64{0, 1, 59, bodies, bodies + 40} { // the last of which read beyond the bodies
		want, failure := pull(t, ref, p, n, bodies, turns)
		if (failure != "") != (turns > bodies) {
			t.Fatalf("%d turns end with %q", turns, failure)
		}
		for _, isa := range ISAs() {
			d := New(Options{Workers: 1, ISA: isa})
			got, text := pull(t, d, p, n, bodies, turns)
			if text != failure {
				t.Errorf("%s: %d turns end with %q; want %q", isa, turns, text, failure)
			}
			for i := range want {
				if failure == "" && math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s: point %d is %v after %d turns; want %v", isa, i, got[i], turns, want[i])
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// pull runs the program on so many points.
func pull(t *testing.T, d tile.Device, p *tile.Program, n, bodies int, turns int64) (out []float64, failure string) {
	t.Helper()
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	l := &tile.Launch{Exe: exe, Program: p, Shape: []int{n}, Origin: []int{0}, Uniforms: []tile.Scalar{tile.IntScalar(tile.Int64, turns)}}
	for i, size := range []int{2 * n, bodies, n} {
		b, err := d.Alloc(int64(8 * size))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Free(b)
		x := unsafe.Slice((*float64)(b.Host), size)
		for k := range x {
			x[k] = math.Sin(float64(7*i + k*k))
		}
		binding := tile.Binding{Buffer: b, Strides: []int64{8}}
		switch i {
		case 0:
			binding.Strides = []int64{16}
		case 1:
			binding.Shape = []int{bodies}
		default:
			out = x
		}
		l.Args = append(l.Args, binding)
	}
	d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
	if err != nil {
		return nil, err.Error()
	}
	return append([]float64(nil), out...), ""
}
