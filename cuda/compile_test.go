//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"weft/tile"
)

// adders are programs of one name, the k-th of which stores its point's coordinate plus k and a half. The launches are
// of a point that has the coordinate 3.
func adders(t *testing.T, d *Device, n int) (launches []*tile.Launch) {
	t.Helper()
	for k := range n {
		b := tile.NewBuilder("adds", 1)
		b.Store(b.Do(tile.Add, b.Cast(tile.Float64, b.Index(0)), b.Const(tile.FloatScalar(tile.Float64, float64(k)+.5))))
		p := b.Program()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		buf, err := d.Alloc(8)
		if err != nil {
			t.Fatal(err)
		}
		launches = append(launches, &tile.Launch{Exe: exe, Program: p, Shape: []int{1}, Origin: []int{3}, Args: []tile.Binding{{Buffer: buf, Strides: []int64{8}}}})
	}
	return launches
}

// oneCompiler opens a device that compiles a module at a time.
func oneCompiler(t *testing.T) *Device {
	t.Helper()
	d, err := Open(0, Options{Epoch: time.Now(), Memory: 64 << 20, Makers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// calls is how often the fake driver was called; a GPU's does not tell.
func calls(name string) uint64 {
	if fake == nil {
		return 0
	}
	return fake.Calls(name)
}

// like are launches on buffers that are not there.
func like(launches []*tile.Launch) (outlines []*tile.Launch) {
	for i, l := range launches {
		own := *l
		own.Args = []tile.Binding{{Buffer: tile.Buffer{Handle: uint64(i+1) << 40, Size: 8}, Strides: []int64{8}}}
		outlines = append(outlines, &own)
	}
	return outlines
}

// runAdders runs launches of adders, and frees what they have.
func runAdders(t *testing.T, d *Device, launches []*tile.Launch) {
	t.Helper()
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	host, err := ref.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range launches {
		if err := wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) }); err != nil {
			t.Errorf("kernel %d: %v", k, err)
			continue
		}
		from := l.Args[0].Buffer
		if err := wait(func(done func(tile.Completion)) {
			d.Copy(copyOut, &tile.Transfer{Dst: host, Src: from, SrcDev: d, Bytes: 8}, done)
		}); err != nil {
			t.Error(err)
		}
		if got := *(*float64)(host.Host); got != float64(k)+3.5 {
			t.Errorf("kernel %d computes %v", k, got)
		}
		d.Free(from)
	}
}

// TestKernelsOfAModule compiles kernels that are needed together as so many modules as there are compilers, which
// another device finds in the folder.
func TestKernelsOfAModule(t *testing.T) {
	if fake != nil {
		needFake(t)
	}
	for _, c := range []struct{ kernels, makers, modules int }{{5, 1, 1}, {5, 2, 2}, {5, 4, 3}, {2, 8, 2}, {1, 1, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cubins")
			for again := range 2 {
				links, loads := calls("cuLinkComplete"), calls("cuModuleLoadData")
				d, err := Open(0, Options{Epoch: time.Now(), Memory: 64 << 20, Makers: c.makers, Cubins: NewCubins(dir, 1<<20, nil)})
				if err != nil {
					t.Fatal(err)
				}
				launches := adders(t, d, c.kernels)
				for _, l := range launches {
					if d.Cold(l.Exe) != (again == 0) {
						t.Errorf("process %d: a program is there that nothing has asked for, or not, although the folder has it", again)
					}
				}
				d.Prepare(like(launches))
				d.Prepare(like(launches)) // of which nothing is missing
				runAdders(t, d, launches)
				for _, l := range launches {
					if d.Cold(l.Exe) {
						t.Error("a program that has run is not there")
					}
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
				links, loads = calls("cuLinkComplete")-links, calls("cuModuleLoadData")-loads
				if fake == nil {
					continue
				}
				if want := uint64(c.modules * (1 - again)); links != want || loads != uint64(c.modules) {
					t.Errorf("process %d: %d modules were linked and %d loaded; want %d and %d", again, links, loads, want, c.modules)
				}
			}
		})
	}
}

// TestNamesOfAModule has programs whose names are what others would get: all fit one module.
func TestNamesOfAModule(t *testing.T) {
	needFake(t)
	d := oneCompiler(t)
	launches := adders(t, d, 5)
	for k, name := range []string{"f", "f", "f_2", "f_2_2", "f"} {
		p := *launches[k].Program
		p.Name = name
		exe, err := d.Compile(&p)
		if err != nil {
			t.Fatal(err)
		}
		launches[k].Exe, launches[k].Program = exe, &p
	}
	before := fake.Calls("cuModuleLoadDataEx")
	d.Prepare(like(launches))
	runAdders(t, d, launches)
	if n := fake.Calls("cuModuleLoadDataEx") - before; n != 1 {
		t.Errorf("%d modules were loaded, wanted 1 of all", n)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestAModuleThatIsRefused compiles each kernel by itself where the driver does not take all together.
func TestAModuleThatIsRefused(t *testing.T) {
	needFake(t)
	d := oneCompiler(t)
	launches := adders(t, d, 3)
	before := fake.Calls("cuModuleLoadDataEx")
	fake.Faults("cuModuleLoadDataEx=218@1,cuModuleLoadDataEx=218@3") // all three, and then the second
	d.Prepare(like(launches))
	d.modules.compiling.Wait()
	fake.Faults("")
	if n := fake.Calls("cuModuleLoadDataEx") - before; n != 4 {
		t.Errorf("%d modules were loaded; want one of all, and one of each", n)
	}
	for k, l := range launches {
		err := wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) })
		if (err != nil) != (k == 1) {
			t.Errorf("kernel %d: %v", k, err)
		}
		d.Free(l.Args[0].Buffer)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestASharedModuleStays unloads a module of several programs when the last of these is gone.
func TestASharedModuleStays(t *testing.T) {
	needFake(t)
	d := oneCompiler(t)
	launches := adders(t, d, 2)
	d.Prepare(like(launches))
	d.modules.compiling.Wait()
	before := fake.Calls("cuModuleUnload")
	for k, gone := range []uint64{0, 1} {
		d.modules.drop(launches[k].Exe.(*executable).owned)
		if err := d.modules.sweep(); err != nil {
			t.Error(err)
		}
		if n := fake.Calls("cuModuleUnload") - before; n != gone {
			t.Errorf("%d of the two programs are gone, and %d modules were unloaded; want %d", k+1, n, gone)
		}
	}
	for _, l := range launches {
		d.Free(l.Args[0].Buffer)
		runtime.KeepAlive(l)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestPrepareLeavesWhatItCannotPlan to launches, which have the error.
func TestPrepareLeavesWhatItCannotPlan(t *testing.T) {
	needFake(t)
	d := open(t, 0)
	other := adders(t, d, 1)[0]
	outside := *other
	outside.Args = []tile.Binding{{Buffer: tile.Buffer{Handle: 1 << 40, Size: 4}, Strides: []int64{8}}}
	foreign := *other
	foreign.Exe = nil
	d.Prepare([]*tile.Launch{&outside, &foreign})
	d.modules.compiling.Wait()
	if !d.Cold(other.Exe) || d.Cold(nil) {
		t.Error("a launch beyond its buffer was compiled for, or what is no program of the device's is cold")
	}
	d.Free(other.Args[0].Buffer)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
