//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/cuda/libraries/standin"
	"weft/tile"
	"weft/tile/tiletest"
)

// withOptions opens a device with libraries.
func withOptions(t testing.TB, o Options) *Device {
	t.Helper()
	o.Epoch, o.Memory = time.Now(), 256<<20
	d, err := Open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// withLibrary opens a device that multiplies by the library of a path.
func withLibrary(t testing.TB, path string) *Device {
	t.Helper()
	return withOptions(t, Options{Blas: func() (*libraries.Blas, error) { return libraries.OpenBlas(path, nil, 13) }})
}

// standIn compiles a library that stands in for one of NVIDIA's.
func standIn(t *testing.T, of standin.Library) string {
	t.Helper()
	path, err := of.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// multiply has a device multiply matrices of whole numbers, and returns the result, the sum that each element should
// be, and how the launch was computed.
func multiply(t *testing.T, d *Device) (got, want []float64, form string, err error) {
	t.Helper()
	const m, k, n = 40, 30, 50
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(tile.Float64), b.Load(tile.Float64)))
	p := b.Program()
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	shape := []int{m, n, k}
	l := &tile.Launch{Exe: exe, Program: p, Shape: shape, Origin: make([]int, 3), Block: tile.BlockShape(shape, 0b100), Reduced: 0b100, Product: true}
	host := make([][]float64, 3)
	for i, size := range []int{m * k, k * n, m * n} {
		host[i] = make([]float64, size)
		for j := range host[i] {
			host[i][j] = float64(r.IntN(9) - 4)
		}
		buffer, err := d.Alloc(int64(8 * size))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Free(buffer)
		l.Args = append(l.Args, tile.Binding{Buffer: buffer, Strides: [][]int64{{8 * k, 0, 8}, {0, 8, 8 * n}, {8 * n, 8, 0}}[i]})
		if err := errors.Join(d.dev.CopyIn(driver.Address(buffer.Handle), bytesOf(host[i])), d.dev.Synchronize()); err != nil {
			t.Fatal(err)
		}
	}
	want = make([]float64, m*n)
	for i := range m {
		for j := range n {
			for x := range k {
				want[i*n+j] += host[0][i*k+x] * host[1][x*n+j]
			}
		}
	}
	if err := wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) }); err != nil {
		return nil, nil, "", err
	}
	return host[2], want, d.Form(l), d.dev.CopyOut(bytesOf(host[2]), driver.Address(l.Args[2].Buffer.Handle))
}

func bytesOf(x []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
}

// TestLibraryProducts runs the kit's products on a device with a library, and asks whether that computed them.
func TestLibraryProducts(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Blas())
	tiletest.Run(t, func() tile.Device { return withLibrary(t, path) }, "product")
	d := withLibrary(t, path)
	got, want, form, err := multiply(t, d)
	if err != nil || !slices.Equal(got, want) || form != "product of matrices, cuBLAS" {
		t.Errorf("got %v, %v by %q; want %v by the library", got, err, form, want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestWithoutLibrary has products where the library is not there, does not begin, or is not to be used: a kernel
// computes them. One that the user named, and one that fails at a product, are the launch's error.
func TestWithoutLibrary(t *testing.T) {
	needFake(t)
	path := standIn(t, standin.Blas())
	const kernel = "product of matrices, tiles of 64"
	for _, c := range []struct{ name, path, fails, form, wrong string }{
		{"", path, "", "product of matrices, cuBLAS", ""},
		{"none", libraries.None, "", kernel, ""},
		{"no memory", path, "create=3", kernel, ""},
		{"fails", path, "status=13", "", "cuBLAS's dgemm of (50,30) and (30,40), 1 of them: CUBLAS_STATUS_EXECUTION_FAILED"},
		{"named, and not there", filepath.Join(t.TempDir(), "libcublas.so.12"), "", "", "libcublas.so.12: cannot open shared object file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(standin.Blas().Variable, c.fails)
			d := withLibrary(t, c.path)
			for range 2 { // when the library is loaded, and when that is known
				got, want, form, err := multiply(t, d)
				switch {
				case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
					t.Errorf("error %v; want %q", err, c.wrong)
				case c.wrong == "" && (err != nil || !slices.Equal(got, want) || form != c.form):
					t.Errorf("got %v, %v by %q; want %v by %q", got, err, form, want, c.form)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
