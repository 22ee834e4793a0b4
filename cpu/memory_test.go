package cpu

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"weft/tile"
)

// TestClasses walks sizes around every class boundary.
func TestClasses(t *testing.T) {
	last := -1
	for n := int64(1); n < 1<<46; n += max(1, n/37) {
		k, size := class(n)
		if size < n || size%alignment != 0 || size > max(n+n/4, n+alignment-1) {
			t.Fatalf("class(%d) = %d of %d bytes; want at most a quarter more, in units of %d", n, k, size, alignment)
		}
		if k < last || k >= classes {
			t.Fatalf("class(%d) = %d, after %d; want them in order, below %d", n, k, last, classes)
		}
		if again, s := class(size); again != k || s != size || blockSize(k) != size {
			t.Fatalf("blocks of class(%d) have %d bytes, but class(%d) = %d of %d and blockSize says %d", n, size, size, again, s, blockSize(k))
		}
		last = k
	}
}

// TestRecycle frees and allocates: the same block comes back, and large blocks are aligned to
// huge pages.
func TestRecycle(t *testing.T) {
	d := New(Options{Workers: 1})
	defer d.Close()
	for _, n := range []int64{100, 70_000, 3 << 20} {
		a, err := d.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		if n >= hugePage && uintptr(a.Host)%hugePage != 0 {
			t.Errorf("a block of %d bytes is at %p; want a multiple of %d", n, a.Host, hugePage)
		}
		d.Free(a)
		b, err := d.Alloc(n - 30)
		if err != nil {
			t.Fatal(err)
		}
		if a.Host != b.Host {
			t.Errorf("a freed block of %d bytes is not used again", n)
		}
		d.Free(b)
	}
	if d.pool.used != 0 {
		t.Errorf("%d bytes in use after everything was freed", d.pool.used)
	}
}

// TestApart makes blocks of one size one after the other: of those that several results of a loop get, few begin alike
// within a page.
func TestApart(t *testing.T) {
	d := New(Options{Workers: 1})
	defer d.Close()
	for _, n := range []int64{300_000, 800_000, 1_600_000} {
		alike := map[uintptr]int{}
		for range 2 * spread {
			b, err := d.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Free(b)
			if at := uintptr(b.Host) % 4096; uintptr(b.Host)%alignment != 0 {
				t.Errorf("a block of %d bytes is at %p; want a multiple of %d", n, b.Host, alignment)
			} else if alike[at]++; alike[at] > 4 {
				t.Errorf("%d blocks of %d bytes begin %d bytes behind a page; want some apart", alike[at], n, at)
			}
		}
	}
}

// TestTrim fills a limit with blocks of one size, then with another: the free ones go back.
func TestTrim(t *testing.T) {
	d := New(Options{Workers: 1, Memory: 64 << 20})
	defer d.Close()
	for _, n := range []int64{4 << 20, 6 << 20, 10 << 20} {
		var held []tile.Buffer
		for total := int64(0); total+n <= 64<<20; total += n {
			b, err := d.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, b)
		}
		if _, err := d.Alloc(n); !errors.Is(err, tile.ErrOutOfMemory) {
			t.Errorf("beyond the limit: %v; want ErrOutOfMemory", err)
		}
		if d.pool.mapped > 2*64<<20 {
			t.Errorf("%d bytes are mapped for a limit of %d", d.pool.mapped, 64<<20)
		}
		for _, b := range held {
			d.Free(b)
		}
	}
}

// TestIdle goes on to other sizes without a limit: what is idle does not add up. The blocks are
// never touched, so that they take no memory.
func TestIdle(t *testing.T) {
	d := New(Options{Workers: 1})
	defer d.Close()
	for n := int64(100 << 20); n < 2<<30; n += n / 4 {
		var held []tile.Buffer
		for range 10 {
			b, err := d.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, b)
		}
		if most := 2*d.pool.used + idleBytes + 10*hugePage; d.pool.mapped > most {
			t.Errorf("%d bytes are mapped with %d in use; want at most %d", d.pool.mapped, d.pool.used, most)
		}
		for _, b := range held {
			d.Free(b)
		}
	}
	if d.pool.used != 0 || d.pool.idle > d.pool.mapped {
		t.Errorf("after everything was freed %d bytes are in use, and %d of %d idle", d.pool.used, d.pool.idle, d.pool.mapped)
	}
}

// TestForeignFree frees what is not the device's: invariant 4 of package tile.
func TestForeignFree(t *testing.T) {
	d, g := New(Options{Workers: 1}), NewEmulatedGPU(0, Options{Workers: 1})
	defer d.Close()
	defer g.Close()
	own, err := g.Alloc(10)
	if err != nil {
		t.Fatal(err)
	}
	g.Free(own)
	for name, free := range map[string]func(){
		"no buffer":   func() { d.Free(tile.Buffer{}) },
		"a GPU's":     func() { d.Free(tile.Buffer{Handle: 1, Size: 10}) },
		"freed":       func() { g.Free(own) },
		"not a GPU's": func() { g.Free(tile.Buffer{Host: unsafe.Pointer(&own), Handle: 1, Size: 10}) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "inv 4") {
					t.Errorf("%s: got %v; want a panic that names inv 4", name, r)
				}
			}()
			free()
		}()
	}
}

// TestZeroBlocks: large blocks are zero as the system maps them, and again where little of them was written before they
// were freed, but not when they were.
func TestZeroBlocks(t *testing.T) {
	d := New(Options{Workers: 1})
	defer d.Close()
	for _, size := range []int64{1 << 20, 1_600_000, 3_000_000, 16 << 20} { // the first two begin within a page
		zeroBlocks(t, d, size)
	}
	if small, err := d.Alloc(1000); err != nil || small.Zero {
		t.Errorf("a small block: Zero is %v, %v; those are cut from memory that is used again", small.Zero, err)
	}
}

func zeroBlocks(t *testing.T, d *Device, size int64) {
	t.Helper()
	take := func(want, look bool) tile.Buffer {
		t.Helper()
		b, err := d.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		if b.Zero != want {
			t.Fatalf("Zero is %v; want %v", b.Zero, want)
		}
		for i := int64(0); look && b.Zero && i < size; i += 1024 {
			if b.Bytes()[i] != 0 {
				t.Fatalf("byte %d of a block of zeros is %d", i, b.Bytes()[i])
			}
		}
		return b
	}
	b := take(true, false) // a look would have the system count the pages as resident
	b.Bytes()[1024] = 7
	d.Free(b)
	pages := d.pool.large[b.Host]
	few := sparse(unsafe.Pointer(unsafe.SliceData(pages)), int64(len(pages)))
	if !few {
		t.Logf("the system cannot tell that most of %d bytes were not touched", size)
	}
	b = take(few, true) // where the system cannot tell, it is a used block
	for i := range b.Bytes() {
		b.Bytes()[i] = 1
	}
	d.Free(b)
	d.Free(take(false, false))
}
