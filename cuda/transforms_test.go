//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/cpu"
	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/cuda/libraries/standin"
	"weft/tile"
)

// spectrum is the discrete Fourier transform by its definition, unscaled.
func spectrum(x []complex128, inverse bool) []complex128 {
	sign := -2 * math.Pi
	if inverse {
		sign = -sign
	}
	y := make([]complex128, len(x))
	for k := range y {
		for j, v := range x {
			y[k] += v * cmplx.Rect(1, sign*float64(j*k%len(x))/float64(len(x)))
		}
	}
	return y
}

// TestTransformer has the stand-in for cuFFT transform rows of all kinds, with more plans than a Transformer keeps.
func TestTransformer(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Fourier())
	fourier, err := libraries.OpenFourier(path, nil, 12)
	if err != nil {
		t.Fatal(err)
	}
	d := withLibrary(t, libraries.None)
	defer d.Close()
	transformer := fourier.Transformer(d.queues[computes].stream.Handle(), d.queues[computes].stream.Synchronize)
	defer func() {
		if err := d.dev.Within(transformer.Close); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		of := libraries.Transform{Kind: libraries.Kind(r.IntN(3)), Points: 1 + r.IntN(24), Rows: 1 + r.IntN(4)}
		of.Whole = of.Kind == libraries.RealToComplex && r.IntN(2) == 0
		inverse := of.Kind == libraries.ComplexToReal || of.Kind == libraries.ComplexToComplex && r.IntN(2) == 0
		half, row := of.Points/2+1, of.Points
		if of.Kind == libraries.RealToComplex && !of.Whole {
			row = half
		}
		var given, got []float64
		var want []complex128
		for range of.Rows {
			x := make([]complex128, of.Points)
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			switch of.Kind {
			case libraries.RealToComplex:
				for i := range x {
					x[i] = complex(real(x[i]), 0)
					given = append(given, real(x[i]))
				}
				want = append(want, spectrum(x, false)[:half]...)
				for range row - half {
					want = append(want, cmplx.NaN()) // nothing is written
				}
			case libraries.ComplexToReal:
				x[0] = complex(real(x[0]), 0)
				for i := 1; i < half; i++ {
					if x[of.Points-i] = cmplx.Conj(x[i]); 2*i == of.Points {
						x[i] = complex(real(x[i]), 0)
					}
				}
				for _, v := range x[:half] {
					given = append(given, real(v), imag(v))
				}
				want = append(want, spectrum(x, true)...)
			default:
				for _, v := range x {
					given = append(given, real(v), imag(v))
				}
				want = append(want, spectrum(x, inverse)...)
			}
		}
		size := 2
		if of.Kind == libraries.ComplexToReal {
			size = 1
		}
		got = make([]float64, size*len(want))
		for i := range got {
			got[i] = math.NaN()
		}
		if err := transformOn(d, transformer, of, given, got, inverse); err != nil {
			t.Fatalf("%v: %v", of, err)
		}
		for i, w := range want {
			v := complex(got[size*i], 0)
			if size == 2 {
				v = complex(got[2*i], got[2*i+1])
			} else {
				w = complex(real(w), 0)
			}
			if cmplx.IsNaN(w) != cmplx.IsNaN(v) || cmplx.Abs(v-w) > 1e-12 {
				t.Fatalf("%v, inverse %v: result %d is %v; want %v", of, inverse, i, v, w)
			}
		}
	}
	for fails, wrong := range map[string]string{
		"plan=8":   "cuFFT's Z2Z of 5 points, 2 of them: a plan: CUFFT_INVALID_SIZE",
		"status=6": "cuFFT's Z2Z of 3 points, 1 of them: CUFFT_EXEC_FAILED",
	} {
		t.Setenv(standin.Fourier().Variable, fails)
		of := libraries.Transform{Points: 5, Rows: 2}
		if fails == "status=6" {
			of = libraries.Transform{Points: 3, Rows: 1}
		}
		x := make([]float64, 20)
		if err := transformOn(d, transformer, of, x, x, false); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: error %v; want %q", fails, err, wrong)
		}
	}
}

// TestFourierRoutines compares the device's transforms with the CPU's routines, whose last digits differ: of rows of
// all lengths, scaled and not, and of more rows than are transformed at once.
func TestFourierRoutines(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Fourier())
	d, twin := withFourier(t, path), cpu.New(cpu.Options{Workers: 1, Epoch: time.Now()})
	defer twin.Close()
	d.transforms.part = 500 // some rows, or less than one
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 80 {
		name := []string{"fft", "fft", "rfft", "irfft"}[i%4]
		points, rows := 1+r.IntN(30), []int{1 + r.IntN(3), 1 + r.IntN(3)}
		in, out, has, gives := tile.Complex128, tile.Complex128, points, points
		var attrs []tile.Attr
		switch {
		case name == "rfft":
			in, gives = tile.Float64, points/2+1
		case name == "irfft":
			out, has = tile.Float64, points/2+1
		default:
			attrs = []tile.Attr{{Name: "inverse", Value: tile.IntScalar(tile.Int64, int64(r.IntN(2)))}}
			if i%8 >= 4 {
				in = tile.Float64
			}
		}
		b := tile.NewRoutine(name, name, attrs...)
		b.Param(tile.In, in)
		b.Param(tile.Out, out)
		b.Uniform(tile.Float64)
		p := b.Program()
		if !d.Info().Runs(p) {
			t.Fatalf("the device lacks %v: %s", p, d.Info().Lacks(p))
		}
		count := 1
		for _, n := range rows {
			count *= n
		}
		x := make([]float64, count*has*in.Size()/8)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if name == "irfft" { // what NumPy leaves out of a real result's spectrum
			for row := range count {
				x[2*row*has+1] = 0
				if points%2 == 0 {
					x[2*row*has+2*has-1] = 0
				}
			}
		}
		scale := []float64{1, 1 / float64(points), 0.37}[r.IntN(3)]
		var results [2][]float64
		for side, dev := range []tile.Device{d, twin} {
			results[side] = make([]float64, count*gives*out.Size()/8)
			if err := fourierOn(dev, p, [2][]int{append(slices.Clone(rows), has), append(slices.Clone(rows), gives)}, [2]int64{8 * r.Int64N(3), 8 * r.Int64N(3)}, scale, x, results[side]); err != nil {
				t.Fatalf("%v of %v rows of %d points: %v", p, rows, points, err)
			}
		}
		for k, want := range results[1] {
			if got := results[0][k]; !(math.Abs(got-want) < 1e-12*(1+scale*float64(points))) {
				t.Fatalf("%v of %v rows of %d points: number %d is %v; want %v", p, rows, points, k, got, want)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestWithoutFourier has devices without the library: the host transforms, but where the user named one that cannot be
// used.
func TestWithoutFourier(t *testing.T) {
	needFake(t)
	p := realTransform()
	none := withFourier(t, libraries.None)
	if why := none.Info().Lacks(p); !strings.Contains(why, "Fourier") {
		t.Errorf("the device lacks a transform because of %q", why)
	}
	named := withFourier(t, filepath.Join(t.TempDir(), "libcufft.so.11"))
	if why := named.Info().Lacks(p); why != "" {
		t.Errorf("the device lacks a transform because of %q; want the library's error where it is compiled", why)
	}
	if _, err := named.Compile(p); err == nil || !strings.Contains(err.Error(), "libcufft.so.11: cannot open shared object file") {
		t.Errorf("error %v; want that of the library", err)
	}
	for _, d := range []*Device{none, named} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFourierFails has a library that fails at plans and at transforms, which are the launch's errors; the next launch
// is computed.
func TestFourierFails(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Fourier())
	d := withFourier(t, path)
	p := realTransform()
	x, y := []float64{1, 2, 3, 4}, make([]float64, 6)
	for _, c := range []struct{ fails, wrong string }{
		{"plan=8", "cuFFT's D2Z of 4 points, 1 of them: a plan: CUFFT_INVALID_SIZE"},
		{"status=6", "cuFFT's D2Z of 4 points, 1 of them: CUFFT_EXEC_FAILED"},
		{"", ""},
	} {
		t.Setenv(standin.Fourier().Variable, c.fails)
		err := fourierOn(d, p, [2][]int{{4}, {3}}, [2]int64{}, 1, x, y)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: error %v; want %q", c.fails, err, c.wrong)
		}
	}
	for i, want := range []float64{10, 0, -2, 2, -2, 0} {
		if math.Abs(y[i]-want) > 1e-12 {
			t.Errorf("the transform is %v; number %d should be %v", y, i, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestFourierWithoutMemory has no memory for the work at the second allocation of each launch, the first being the
// plan's own: the first launch goes on with fewer rows, the second gives back what the first had, and with none at all
// the launch says so.
func TestFourierWithoutMemory(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Fourier())
	d := withFourier(t, path)
	p := realTransform()
	for _, c := range []struct {
		rows   int
		faults string
		fails  bool
	}{{6, "cuMemAlloc_v2=2@2", false}, {50, "cuMemAlloc_v2=2@2", false}, {400, "cuMemAlloc_v2=2@2+", true}, {400, "", false}} {
		x, y := make([]float64, 4*c.rows), make([]float64, 6*c.rows)
		for i := range x {
			x[i] = float64(i % 4)
		}
		fake.Faults(c.faults)
		err := fourierOn(d, p, [2][]int{{c.rows, 4}, {c.rows, 3}}, [2]int64{}, 1, x, y)
		fake.Faults("")
		if c.fails {
			if err == nil || !strings.Contains(err.Error(), "cuFFT's D2Z of 4 points") {
				t.Errorf("%d rows: error %v; want one about the transform", c.rows, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d rows: %v", c.rows, err)
		}
		for i, v := range y {
			if want := []float64{6, 0, -2, 2, -2, 0}[i%6]; math.Abs(v-want) > 1e-12 {
				t.Fatalf("%d rows: number %d is %v; want %v", c.rows, i, v, want)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// realTransform is the program of transforms of real numbers.
func realTransform() *tile.Program {
	b := tile.NewRoutine("rfft", "rfft")
	b.Param(tile.In, tile.Float64)
	b.Param(tile.Out, tile.Complex128)
	b.Uniform(tile.Float64)
	return b.Program()
}

// withFourier opens a device that transforms by the library of a path.
func withFourier(t *testing.T, path string) *Device {
	t.Helper()
	return withOptions(t, Options{Fourier: func() (*libraries.Fourier, error) { return libraries.OpenFourier(path, nil, 12) }})
}

// fourierOn runs a transform of numbers of main memory on a device, with operands some bytes into their memory.
func fourierOn(dev tile.Device, p *tile.Program, shapes [2][]int, offsets [2]int64, scale float64, in, out []float64) error {
	exe, err := dev.Compile(p)
	if err != nil {
		return err
	}
	l := &tile.Launch{Exe: exe, Program: p, Uniforms: []tile.Scalar{tile.FloatScalar(tile.Float64, scale)}}
	for i, host := range [][]float64{in, out} {
		buffer, err := dev.Alloc(int64(8*len(host)) + offsets[i])
		if err != nil {
			return err
		}
		defer dev.Free(buffer)
		strides, step := make([]int64, len(shapes[i])), int64(p.Params[i].Type.Size())
		for axis := len(strides) - 1; axis >= 0; axis-- {
			strides[axis] = step
			step *= int64(shapes[i][axis])
		}
		l.Args = append(l.Args, tile.Binding{Buffer: buffer, Offset: offsets[i], Shape: shapes[i], Strides: strides})
	}
	gpu, isGPU := dev.(*Device)
	if isGPU {
		err = errors.Join(gpu.dev.CopyIn(addressOf(&l.Args[0]), bytesOf(in)), gpu.dev.Synchronize())
	} else {
		copy(l.Args[0].Buffer.Bytes()[offsets[0]:], bytesOf(in))
	}
	if err != nil {
		return err
	}
	if err := wait(func(done func(tile.Completion)) { dev.Launch(computes, l, done) }); err != nil {
		return err
	}
	if isGPU {
		return gpu.dev.CopyOut(bytesOf(out), addressOf(&l.Args[1]))
	}
	copy(bytesOf(out), l.Args[1].Buffer.Bytes()[offsets[1]:])
	return nil
}

// transformOn has a device transform numbers of main memory.
func transformOn(d *Device, transformer *libraries.Transformer, of libraries.Transform, in, out []float64, inverse bool) error {
	var at [3]driver.Address
	return d.dev.Within(func() (err error) {
		plan, err := transformer.Plan(of)
		if err != nil {
			return err
		}
		sizes := []int64{int64(8 * len(in)), int64(8 * len(out)), plan.Work}
		for i, n := range sizes {
			buffer, err := d.Alloc(n)
			if err != nil {
				return err
			}
			defer d.Free(buffer)
			at[i] = driver.Address(buffer.Handle)
		}

		return errors.Join(d.dev.CopyIn(at[0], bytesOf(in)), d.dev.CopyIn(at[1], bytesOf(out)), d.dev.Synchronize(),
			transformer.Execute(plan, uint64(at[0]), uint64(at[1]), uint64(at[2]), inverse), d.dev.Synchronize(), d.dev.CopyOut(bytesOf(out), at[1]))
	})
}
