package cuda

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/cuda/driver"
	"weft/tile"
)

// fakePages is a driver's virtual memory with the rules that the real one refuses to break.
type fakePages struct {
	t       *testing.T
	page    int64
	free    int // pages that NewPage still hands out
	last    driver.Page
	live    map[driver.Page]driver.Address // where a page is mapped; 0: nowhere
	at      map[driver.Address]driver.Page
	allowed map[driver.Address]map[int]bool // by device; own is the pool's
	base    driver.Address
	extent  int64
	refuse  string // the call that fails once it has been made often enough
	after   int
	lost    map[int]bool // devices that nothing is accessible to
}

// refused reports whether a call is to fail.
func (f *fakePages) refused(call string) error {
	if f.refuse != call {
		return nil
	}
	if f.after--; f.after >= 0 {
		return nil
	}
	f.refuse = ""
	return &driver.Error{Call: call, Code: 1}
}

func newFakePages(t *testing.T, page int64, free int) *fakePages {
	return &fakePages{t: t, page: page, free: free, live: map[driver.Page]driver.Address{}, at: map[driver.Address]driver.Page{}, allowed: map[driver.Address]map[int]bool{}}
}

func (f *fakePages) PageSize() (int64, error) { return f.page, nil }

func (f *fakePages) Reserve(n int64) (driver.Address, error) {
	f.base, f.extent = 1<<40, n
	return f.base, nil
}

func (f *fakePages) Unreserve(a driver.Address, n int64) error {
	if a != f.base || n != f.extent || len(f.at) > 0 {
		f.t.Errorf("Unreserve(%#x, %d) with %d pages mapped", a, n, len(f.at))
	}
	return nil
}

func (f *fakePages) NewPage(n int64) (driver.Page, error) {
	if f.free == 0 {
		return 0, &driver.Error{Call: "cuMemCreate", Code: 2}
	}
	if n%f.page != 0 {
		f.t.Errorf("a page of %d bytes; want a multiple of %d", n, f.page)
	}
	f.free--
	f.last++
	f.live[f.last] = 0
	return f.last, nil
}

func (f *fakePages) FreePage(p driver.Page) error {
	if at, ok := f.live[p]; !ok || at != 0 {
		f.t.Errorf("FreePage of %v, mapped at %#x", p, at)
	}
	delete(f.live, p)
	return nil
}

func (f *fakePages) Map(a driver.Address, n int64, p driver.Page) error {
	if at, ok := f.live[p]; !ok || at != 0 || f.at[a] != 0 || int64(a-f.base)%n != 0 || int64(a-f.base)+n > f.extent {
		f.t.Errorf("Map(%#x, %d, %v)", a, n, p)
	}
	if err := f.refused("cuMemMap"); err != nil {
		return err
	}
	f.live[p], f.at[a] = a, p
	return nil
}

// own stands for the device whose memory it is.
const own = -1

func (f *fakePages) Allow(a driver.Address, n int64, ordinals ...int) error {
	if err := f.refused("cuMemSetAccess"); err != nil {
		return err
	}
	for _, ordinal := range ordinals {
		if f.lost[ordinal] {
			return &driver.Error{Call: "cuMemSetAccess", Code: 700}
		}
	}
	if len(ordinals) == 0 && f.lost[own] {
		return &driver.Error{Call: "cuMemSetAccess", Code: 700}
	}
	for i := int64(0); i < n; i += f.size() {
		if f.at[a+driver.Address(i)] == 0 {
			f.t.Errorf("Allow(%#x, %d): nothing is mapped at %#x", a, n, a+driver.Address(i))
		}
		if len(ordinals) == 0 {
			ordinals = []int{own}
		}
		if f.allowed[a+driver.Address(i)] == nil {
			f.allowed[a+driver.Address(i)] = map[int]bool{}
		}
		for _, ordinal := range ordinals {
			f.allowed[a+driver.Address(i)][ordinal] = true
		}
	}
	return nil
}

func (f *fakePages) Unmap(a driver.Address, n int64) error {
	p := f.at[a]
	if p == 0 {
		f.t.Errorf("Unmap(%#x, %d) of nothing", a, n)
	}
	f.live[p] = 0
	delete(f.at, a)
	delete(f.allowed, a)
	return nil
}

// size is that of the pool's pages: Allow is given whole ones.
func (f *fakePages) size() int64 { return f.page }

func freeOf(n int64) func() (int64, int64, error) {
	return func() (int64, int64, error) { return n, 2 * n, nil }
}

// TestPool allocates and frees at random, and holds the pool against the obvious: what is handed out is mapped, and
// overlaps nothing.
func TestPool(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		const limit = 64 << 10
		f := newFakePages(t, 4<<10, 1000)
		p, err := newPool(f, limit, freeOf(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		type piece struct{ at, n, counts int64 }
		var live []piece
		used := int64(0)
		for step := range 3000 {
			if step == 1500 { // a peer is let in to what there is and comes
				if err := p.admit(7); err != nil {
					t.Fatal(err)
				}
				for _, b := range live {
					if !f.allowed[driver.Address(b.at&^(f.page-1))][7] {
						t.Fatalf("seed %d: the peer does not reach %d bytes at %#x", seed, b.n, b.at)
					}
				}
			}
			if r.IntN(2) == 0 && len(live) > 0 {
				i := r.IntN(len(live))
				if !p.free(driver.Address(live[i].at)) {
					t.Fatalf("seed %d: a block is not found", seed)
				}
				used -= live[i].counts
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
				continue
			}
			n := r.Int64N(5000)
			if r.IntN(4) == 0 {
				n = r.Int64N(limit)
			}
			counts := (max(n, 1) + 63) / 64 * 64
			a, err := p.alloc(n)
			if err != nil {
				if !errors.Is(err, tile.ErrOutOfMemory) {
					t.Fatal(err)
				}
				continue
			}
			if used+counts > limit {
				t.Fatalf("seed %d: %d bytes are handed out while %d of %d are in use", seed, n, used, limit)
			}
			used += counts
			at := int64(a)
			for _, o := range live {
				if at < o.at+max(o.n, 1) && o.at < at+max(n, 1) {
					t.Fatalf("seed %d: %d bytes at %#x overlap %d at %#x", seed, n, at, o.n, o.at)
				}
			}
			for b := at &^ (f.page - 1); b < at+max(n, 1); b += f.page {
				if devices := f.allowed[driver.Address(b)]; !devices[own] || step >= 1500 && !devices[7] {
					t.Fatalf("seed %d: %d bytes at %#x are not mapped at %#x, or not for the peer: %v", seed, n, at, b, devices)
				}
			}
			if at%grain != 0 {
				t.Fatalf("a block at %#x; want a multiple of %d", at, grain)
			}
			live = append(live, piece{at, n, counts})
		}
		if p.used != used {
			t.Errorf("seed %d: the pool counts %d bytes in use; want %d", seed, p.used, used)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
		if len(f.live) > 0 {
			t.Errorf("seed %d: %d pages were not freed", seed, len(f.live))
		}
	}
}

// TestPoolOfALostPeer lets in two peers, of which one is lost then: what the device itself allocates is there, and the
// other peer reaches it. Where the device is lost, the error says so.
func TestPoolOfALostPeer(t *testing.T) {
	const page = 4 << 10
	f := newFakePages(t, page, 1000)
	p, err := newPool(f, 64*page, freeOf(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range []int{5, 7} {
		if err := p.admit(peer); err != nil {
			t.Fatal(err)
		}
	}
	f.lost = map[int]bool{5: true}
	for range 2 {
		a, err := p.alloc(3 * page)
		if err != nil {
			t.Fatal(err)
		}
		for b := a; b < a+3*page; b += page {
			if on := f.allowed[b]; !on[own] || !on[7] || on[5] {
				t.Errorf("%#x is accessible to %v; want the device itself, and 7", b, on)
			}
		}
	}
	f.lost[own], f.lost[7] = true, true
	if _, err := p.alloc(page); err == nil {
		t.Error("a device that is lost allocates")
	}
	if err := p.close(); err != nil || len(f.live) > 0 {
		t.Errorf("close: %v, with %d pages left", err, len(f.live))
	}
}

// TestPoolInPieces frees every other block of a full memory: half of it is free in pieces of a page, and a block of
// that size finds a place.
func TestPoolInPieces(t *testing.T) {
	const page, pages = 4 << 10, 64
	f := newFakePages(t, page, 1000)
	p, err := newPool(f, page*pages, freeOf(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []driver.Address
	for range pages {
		a, err := p.alloc(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, a)
	}
	if _, err := p.alloc(1); !errors.Is(err, tile.ErrOutOfMemory) {
		t.Fatalf("a byte more than there is: %v", err)
	}
	for i := 0; i < pages; i += 2 {
		p.free(blocks[i])
	}
	if _, err := p.alloc(page * pages / 2); err != nil {
		t.Errorf("half of the memory, which is free in pieces: %v", err)
	}
}

// TestPoolOfSmallBlocks has small blocks keep a page each: a block whose bytes are free finds no place, and the error
// says what is in the way. It finds one when as many pages are free as it needs.
func TestPoolOfSmallBlocks(t *testing.T) {
	const page, pages = 4 << 10, 85
	for _, row := range []struct {
		has  int // pages that the driver has
		says string
	}{{1000, "beyond the limit"}, {80, "nvidia-smi"}} {
		f := newFakePages(t, page, row.has)
		p, err := newPool(f, pages*page, freeOf(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		var blocks []driver.Address
		for range 150 {
			a, err := p.alloc(page / 2)
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, a)
		}
		for i := 0; i < len(blocks); i += 2 {
			p.free(blocks[i])
		}
		const large = pages * page * 4 / 10
		_, err = p.alloc(large)
		if !errors.Is(err, tile.ErrOutOfMemory) || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "small array") {
			t.Fatalf("the driver has %d pages: got error %v; want ErrOutOfMemory with %q in it", row.has, err, row.says)
		}
		left := 0
		for ; err != nil && 2*left+1 < len(blocks); left++ { // what the scheduler does
			p.free(blocks[2*left+1])
			_, err = p.alloc(large)
		}
		if err != nil || left > large/page+1 {
			t.Errorf("the driver has %d pages: after %d small blocks have left: %v; want none with at most %d", row.has, left, err, large/page+1)
		}
	}
}

// TestPoolBeyondTheGPU asks for more than the GPU has in all: that is the user's mistake, and said at once.
func TestPoolBeyondTheGPU(t *testing.T) {
	_, err := newPool(newFakePages(t, 2<<20, 100), 3<<30, freeOf(1<<30))
	if err == nil || !strings.Contains(err.Error(), "--fbmem asks for 3072 MB") || !strings.Contains(err.Error(), "2048") {
		t.Errorf("got error %v; want one with what --fbmem asks for and what there is", err)
	}
}

// TestPoolAfterFailures has the driver refuse in the middle of an allocation: what it had mapped until then counts for
// nothing, so that later blocks are accessible all over.
func TestPoolAfterFailures(t *testing.T) {
	const page = 4 << 10
	for _, row := range []struct {
		call  string
		after int // calls that do not fail
	}{{"cuMemMap", 0}, {"cuMemMap", 1}, {"cuMemMap", 2}, {"cuMemMap", 3}, {"cuMemSetAccess", 0}} {
		f := newFakePages(t, page, 1000)
		p, err := newPool(f, 64*page, freeOf(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.alloc(page); err != nil {
			t.Fatal(err)
		}
		f.refuse, f.after = row.call, row.after
		if _, err := p.alloc(8 * page); err == nil {
			t.Fatalf("%s fails after %d calls, and the allocation does not", row.call, row.after)
		}
		a, err := p.alloc(8 * page)
		if err != nil {
			t.Fatalf("after %s failed: %v", row.call, err)
		}
		for b := a; b < a+8*page; b += page {
			if !f.allowed[b][own] {
				t.Errorf("after %s failed: %#x of a block at %#x is not accessible", row.call, b, a)
			}
		}
		if err := p.close(); err != nil || len(f.live) > 0 {
			t.Errorf("close: %v, with %d pages left", err, len(f.live))
		}
	}
}

// TestPoolBesideOthers has another process take most of the memory: what this one has got is moved, and when that is
// not enough, the error says so.
func TestPoolBesideOthers(t *testing.T) {
	const page = 4 << 10
	f := newFakePages(t, page, 4)
	p, err := newPool(f, 64*page, freeOf(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []driver.Address
	for range 4 {
		a, err := p.alloc(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, a)
	}
	if _, err := p.alloc(page); !errors.Is(err, tile.ErrOutOfMemory) {
		t.Fatalf("a page more than the GPU has left: %v; want ErrOutOfMemory", err)
	}
	p.free(blocks[0])
	p.free(blocks[2])
	if _, err := p.alloc(2 * page); err != nil {
		t.Errorf("two pages that lie apart: %v", err)
	}
}

// TestPoolDefault takes most of what is free, in pages that are not too many.
func TestPoolDefault(t *testing.T) {
	f := newFakePages(t, 2<<20, 1)
	p, err := newPool(f, 0, freeOf(140<<30))
	if err != nil {
		t.Fatal(err)
	}
	if share := float64(p.limit) / (140 << 30); share < 0.89 || share > 0.9 {
		t.Errorf("%.3f of the free memory; want 0.9", share)
	}
	if n := p.limit / p.page; n > mostPages || p.page%(2<<20) != 0 {
		t.Errorf("%d pages of %s", n, fmt.Sprint(p.page))
	}
}

// TestPoolOfWhatIsFree takes its limit from what is free: whatever the limit allows can be had, also of few pages.
func TestPoolOfWhatIsFree(t *testing.T) {
	const page = 2 << 20
	for _, n := range []int{0, 1, 8, 9, 10, 11, 14, 40, 200, 1000} {
		f := newFakePages(t, page, n)
		free := int64(n)*page + 12345
		p, err := newPool(f, 0, func() (int64, int64, error) { return free, free, nil })
		if err != nil {
			if n > 9 || !strings.Contains(err.Error(), "nvidia-smi") {
				t.Errorf("%d pages are free: %v", n, err)
			}
			continue
		}
		if n >= 200 && p.limit < free*8/10 {
			t.Errorf("%d pages are free, and %d of %d bytes can be had", n, p.limit, free)
		}
		if p.most > n-modulePages {
			t.Errorf("%d pages are free, and the pool may take %d; want %d left for modules", n, p.most, modulePages)
		}
		r := rand.New(rand.NewPCG(1, uint64(n)))
		var blocks []driver.Address
		for range 300 {
			size := min(p.limit-p.used, 1+r.Int64N(p.limit/6+1)) &^ 63
			if size > 0 && r.IntN(3) > 0 {
				a, err := p.alloc(size)
				if err != nil {
					t.Fatalf("%d pages are free, %d of %d bytes in use: %d more: %v", n, p.used, p.limit, size, err)
				}
				blocks = append(blocks, a)
			} else if len(blocks) > 0 {
				i := r.IntN(len(blocks))
				p.free(blocks[i])
				blocks[i] = blocks[len(blocks)-1]
				blocks = blocks[:len(blocks)-1]
			}
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}
}
