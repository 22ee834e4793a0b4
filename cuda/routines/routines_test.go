package routines

import (
	"testing"
	"time"

	"weft/cpu"
	"weft/tile"
	"weft/tile/tiletest"
)

// threaded is a device that runs named routines by the programs of threads that they come to, on one that runs those.
// With guards these fail for races, and for reads of what nothing has written.
type threaded struct {
	tile.Device
	t       *testing.T
	site    Site
	guarded bool
}

// found is a routine that threaded has compiled, with the programs that it came to.
type found struct {
	r    *Routine
	exes map[*tile.Program]compiled
}

// compiled is a program of threads as it is launched.
type compiled struct {
	p   *tile.Program
	exe tile.Executable
}

// Info is that of a device that has the routines of this package.
func (d *threaded) Info() tile.DeviceInfo {
	info := d.Device.Info()
	info.Lacks = Lacks
	return info
}

// Compile finds a routine.
func (d *threaded) Compile(p *tile.Program) (tile.Executable, error) {
	r, err := Find(p)
	return &found{r, map[*tile.Program]compiled{}}, err
}

// Launch launches what the routine comes to.
func (d *threaded) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	f := l.Exe.(*found)
	site := d.site
	site.Scratch = func(n int64) (tile.Buffer, error) {
		b, err := d.Alloc(n)
		d.t.Cleanup(func() { d.Free(b) })
		for i := range b.Bytes() {
			b.Bytes()[i] = 0xa5
		}
		return b, err
	}
	made, err := f.r.Launch(l, site)
	if err != nil {
		done(tile.Completion{Err: err})
		return
	}
	c, ok := f.exes[made.Program]
	if !ok {
		p := *made.Program
		p.Guarded = d.guarded
		c.p = &p
		if c.exe, err = d.Device.Compile(&p); err != nil {
			done(tile.Completion{Err: err})
			return
		}
		f.exes[made.Program] = c
	}
	made.Program, made.Exe = c.p, c.exe
	d.Device.Launch(queue, made, done)
}

// TestBits compares the results of all routines with those of the CPU's, on grids of any shape.
func TestBits(t *testing.T) {
	for _, c := range []struct {
		seeds           uint64
		blocks, threads int
		guarded         bool
	}{{24, 4, 64, false}, {8, 3, 256, false}, {4, 1, 1024, false}, {6, 4, 32, true}, {3, 2, 64, true}} {
		inner := cpu.New(cpu.Options{Workers: 1, Epoch: time.Now()})
		twin := cpu.New(cpu.Options{Workers: 1, Epoch: time.Now()})
		d := &threaded{inner, t, Site{Blocks: c.blocks, Threads: c.threads}, c.guarded}
		tiletest.Routines(t, c.seeds, d, twin)
		t.Cleanup(func() { inner.Close(); twin.Close() })
	}
}
