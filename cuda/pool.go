package cuda

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"weft/cuda/driver"
	"weft/tile"
)

// pager is what the pool needs of the driver.
type pager interface {
	PageSize() (int64, error)
	Reserve(n int64) (driver.Address, error)
	Unreserve(a driver.Address, n int64) error
	NewPage(n int64) (driver.Page, error)
	FreePage(driver.Page) error
	Map(a driver.Address, n int64, p driver.Page) error
	Allow(a driver.Address, n int64, ordinals ...int) error
	Unmap(a driver.Address, n int64) error
}

// pool hands out a device's memory.
//
//	range of addresses, reserved once:
//	| block | free block | block |      free block, to the end of the range ...
//	|  page   |  page   |  page   |  page   |  -  |  -  |  page   |  -  |  -  ...      - nothing is mapped
//
// Blocks, used or free, cover the range. Pages are mapped where used blocks lie, and stay when these are freed, until
// they are needed elsewhere: a page that lies in free blocks alone is moved there. So where blocks are as large as
// pages, what counts is only how many bytes are in use. A page with a smaller block in it stays where it is: many of
// these, with free blocks between them, can hold all pages, and then a block finds none although its bytes are free.
// The scheduler has other blocks leave in that case (core.Core.Yield). The range is several times as long as the
// memory, so that there is nearly always a place for a block, whatever lies around.
//
// A free block of a size that was asked for before waits, as it is, for the next of its size: loops allocate the same
// sizes in turn.
type pool struct {
	dev   pager
	limit int64 // of the bytes in use: each block counts as what was asked for, in multiples of 64
	page  int64 // bytes of a page
	most  int   // pages that may exist: those of the limit, and some for what lies across their ends

	mu     sync.Mutex
	base   driver.Address
	extent int64
	used   int64
	mapped []driver.Page // by number in the range; 0 where there is none
	made   int           // pages that exist
	first  *poolBlock
	blocks map[int64]*poolBlock   // in use, by offset
	kept   map[int64][]*poolBlock // free, and waiting for their size
	spare  []driver.Page          // pages that are mapped nowhere
	peers  []int                  // ordinals of other devices that reach what is mapped
}

// poolBlock is a piece of the range; blocks are linked in the order of their offsets.
type poolBlock struct {
	at, size   int64
	counts     int64 // while in use: against the limit
	free       bool  // and not kept
	prev, next *poolBlock
}

const (
	grain       = 256  // what blocks' sizes and offsets are multiples of, as CUDA's own are
	unit        = 64   // what the limit is counted in: see tile.Device
	mostPages   = 8192 // pages of a memory: finer ones make mapping slow, coarser ones waste more
	rangeFactor = 4    // of the range's length to the memory's
	slackPages  = 8    // beside the limit's, for blocks that end in the middle of a page,
	slackShare  = 16   // and one more for so many
	modulePages = 1    // that are left to the driver at least where the limit comes from what is free: for programs' modules
)

// newPool reserves a range for a memory of so many bytes, or of most of what is free.
func newPool(dev pager, limit int64, info func() (free, total int64, err error)) (*pool, error) {
	free, total, err := info()
	if err != nil {
		return nil, err
	}
	if limit > total {
		return nil, fmt.Errorf("--fbmem asks for %d MB of its memory, which has %d: ask for less", limit>>20, total>>20)
	}
	least, err := dev.PageSize()
	if err != nil {
		return nil, fmt.Errorf("the device has no virtual memory management, which its pool is made of: %w", err)
	}
	if limit == 0 {
		n := max(0, free/least-slackPages-modulePages) // where little is free, these are more than the share that is left
		limit = min(int64(float64(free)*freeShare), (n-(n+1)/(slackShare+1))*least)
		if limit == 0 {
			return nil, fmt.Errorf("of its memory %d bytes are free, too few for arrays: nvidia-smi shows which processes have the rest; --gpus 0 computes without GPUs", free)
		}
	}
	p := &pool{dev: dev, limit: limit &^ (unit - 1), page: least, blocks: map[int64]*poolBlock{}, kept: map[int64][]*poolBlock{}}
	if n := limit / least / mostPages; n > 1 {
		p.page = least << bits.Len64(uint64(n-1))
	}
	n := int((limit + p.page - 1) / p.page)
	p.most = n + slackPages + n/slackShare
	p.extent = int64(p.most) * p.page * rangeFactor
	if p.base, err = dev.Reserve(p.extent); err != nil {
		return nil, err
	}
	p.mapped = make([]driver.Page, p.extent/p.page)
	p.first = &poolBlock{size: p.extent, free: true}
	return p, nil
}

// alloc returns the address of at least n bytes.
func (p *pool) alloc(n int64) (driver.Address, error) {
	if n < 0 {
		return 0, fmt.Errorf("allocation of %d bytes", n)
	}
	counts := (max(n, 1) + unit - 1) &^ (unit - 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if counts < 0 || counts > p.limit-p.used {
		return 0, fmt.Errorf("%d bytes of %d are in use, %d more: %w", p.used, p.limit, n, tile.ErrOutOfMemory)
	}
	size := (max(n, 1) + grain - 1) &^ (grain - 1)
	b := p.again(size)
	if b == nil {
		var err error
		if b, err = p.place(size); err != nil {
			return 0, err
		}
	}
	b.counts, b.free = counts, false
	p.used += counts
	p.blocks[b.at] = b
	return p.base + driver.Address(b.at), nil
}

// free takes a block back; false means that there is none at the address.
func (p *pool) free(a driver.Address) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := int64(a) - int64(p.base)
	b := p.blocks[at]
	if b == nil {
		return false
	}
	delete(p.blocks, at)
	p.used -= b.counts
	p.kept[b.size] = append(p.kept[b.size], b)
	return true
}

// again returns the block of a size that was freed last.
func (p *pool) again(size int64) *poolBlock {
	kept := p.kept[size]
	if len(kept) == 0 {
		return nil
	}
	p.kept[size] = kept[:len(kept)-1]
	return kept[len(kept)-1]
}

// place makes a block where the fewest pages are missing; among such places in the smallest free block.
func (p *pool) place(size int64) (*poolBlock, error) {
	best, lacks := p.search(size)
	if lacks > 0 { // before pages are moved, all that is free joins
		p.join()
		best, lacks = p.search(size)
	}
	if best == nil {
		return nil, fmt.Errorf("no %d bytes of the range of addresses lie together: %w", size, tile.ErrOutOfMemory)
	}
	if lacks > 0 {
		if err := p.fill(best.at, size, lacks); err != nil {
			return nil, err
		}
	}
	if best.size > size {
		rest := &poolBlock{at: best.at + size, size: best.size - size, free: true, prev: best, next: best.next}
		if rest.next != nil {
			rest.next.prev = rest
		}
		best.next, best.size = rest, size
	}
	return best, nil
}

// search returns the free block to use, and how many pages it lacks.
func (p *pool) search(size int64) (best *poolBlock, lacks int) {
	for b := p.first; b != nil; b = b.next {
		if !b.free || b.size < size || best != nil && lacks == 0 && b.size >= best.size {
			continue
		}
		n := 0
		for i := b.at / p.page; i*p.page < b.at+size; i++ {
			if p.mapped[i] == 0 {
				n++
			}
		}
		if best == nil || n < lacks || n == lacks && b.size < best.size {
			best, lacks = b, n
		}
	}
	return best, lacks
}

// join makes one block of free blocks that lie side by side, kept ones as well.
func (p *pool) join() {
	for size, kept := range p.kept {
		for _, b := range kept {
			b.free = true
		}
		delete(p.kept, size)
	}
	for b := p.first; b != nil; b = b.next {
		for b.free && b.next != nil && b.next.free {
			b.size += b.next.size
			if b.next = b.next.next; b.next != nil {
				b.next.prev = b
			}
		}
	}
}

// fill maps the pages that a place lacks: new ones, then such as lie in free blocks elsewhere.
func (p *pool) fill(at, size int64, lacks int) error {
	for len(p.spare) < lacks && p.made < p.most {
		page, err := p.dev.NewPage(p.page)
		if driver.IsOutOfMemory(err) {
			break // another process has it; perhaps there are pages to move
		} else if err != nil {
			return err
		}
		p.made++
		p.spare = append(p.spare, page)
	}
	if err := p.gather(at, size, lacks); err != nil {
		return err
	}
	if missing := lacks - len(p.spare); missing > 0 {
		return p.lacks(size, missing)
	}
	for i := at / p.page; i*p.page < at+size; {
		if p.mapped[i] != 0 {
			i++
			continue
		}
		from := i
		for i*p.page < at+size && p.mapped[i] == 0 {
			i++
		}
		if err := p.put(from, i); err != nil {
			return err
		}
	}
	return nil
}

// lacks says why a block has no place: all pages that there are hold others, in part at least, and what keeps the pool
// from more.
func (p *pool) lacks(size int64, missing int) error {
	why := "the GPU has no more: nvidia-smi lists what other processes have, and --fbmem MB asks for less"
	if p.made >= p.most {
		why = "more would be beyond the limit, which --fbmem MB sets"
	}
	return fmt.Errorf("%w: for %d bytes %d pages of %d bytes are missing; the %d that there are hold %d bytes, where a small array may keep a page for itself; %s",
		tile.ErrOutOfMemory, size, missing, p.page, p.made, p.used, why)
}

// put maps spare pages at places in a row, and makes them accessible. After an error none of them is there: a page that
// is mapped counts as one that programs can use.
func (p *pool) put(from, to int64) error {
	i, err := from, error(nil)
	for ; i < to; i++ {
		page := p.spare[len(p.spare)-1]
		if err = p.dev.Map(p.address(i), p.page, page); err != nil {
			break
		}
		p.spare, p.mapped[i] = p.spare[:len(p.spare)-1], page
	}
	if err == nil {
		err = p.dev.Allow(p.address(from), (to-from)*p.page)
	}
	if err == nil {
		err = p.share(p.address(from), (to-from)*p.page)
	}
	if err == nil {
		return nil
	}
	for i--; i >= from; i-- {
		err = errors.Join(err, p.take(i))
	}
	return err
}

// share lets the peers reach new pages. One that the driver does not let in, being lost perhaps, is a peer no more:
// what it copies goes through the host, and the pages are the device's all the same. The error is the device's own.
func (p *pool) share(at driver.Address, n int64) error {
	if len(p.peers) == 0 || p.dev.Allow(at, n, p.peers...) == nil {
		return nil
	}
	if err := p.dev.Allow(at, n); err != nil {
		return err
	}
	p.peers = slices.DeleteFunc(p.peers, func(peer int) bool { return p.dev.Allow(at, n, peer) != nil })
	return nil
}

// admit lets another device reach all that is mapped now and later.
func (p *pool) admit(ordinal int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for from := 0; from < len(p.mapped); {
		to := from
		for to < len(p.mapped) && p.mapped[to] != 0 {
			to++
		}
		if to > from {
			if err := p.dev.Allow(p.address(int64(from)), int64(to-from)*p.page, ordinal); err != nil {
				return err
			}
		}
		from = to + 1
	}
	p.peers = append(p.peers, ordinal)
	return nil
}

// take unmaps a page, which is spare then.
func (p *pool) take(i int64) error {
	if err := p.dev.Unmap(p.address(i), p.page); err != nil {
		return err
	}
	p.spare, p.mapped[i] = append(p.spare, p.mapped[i]), 0
	return nil
}

// gather takes pages out of free blocks, but for those of the place that is to be filled, until there are enough.
func (p *pool) gather(at, size int64, enough int) error {
	for b := p.first; b != nil && len(p.spare) < enough; b = b.next {
		if !b.free {
			continue
		}
		for i := (b.at + p.page - 1) / p.page; (i+1)*p.page <= b.at+b.size && len(p.spare) < enough; i++ {
			inside := i*p.page < at+size && (i+1)*p.page > at
			if p.mapped[i] == 0 || inside {
				continue
			}
			if err := p.take(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pool) address(page int64) driver.Address { return p.base + driver.Address(page*p.page) }

// close gives everything back, blocks in use as well: the device's work is done.
func (p *pool) close() error {
	var errs []error
	for i, page := range p.mapped {
		if page != 0 {
			errs = append(errs, p.take(int64(i)))
		}
	}
	for _, page := range p.spare {
		errs = append(errs, p.dev.FreePage(page))
	}
	return errors.Join(append(errs, p.dev.Unreserve(p.base, p.extent))...)
}
