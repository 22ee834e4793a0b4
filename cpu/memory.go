package cpu

import (
	"fmt"
	"math/bits"
	"sync"
	"syscall"
	"unsafe"

	"weft/tile"
)

// pool hands out memory in size classes and keeps what is freed: a page that the system has
// to map and clear costs twenty times one that is there already. It gives pages back
// when it needs new ones although more are idle than in use, when the limit is reached, when
// the system has no more, and at the end.
//
// A large block that comes back and was hardly written, as arrays of zeros may be, becomes one of untouched pages
// again: the allocation that gets it next finds it fresh, and the memory that it took up is the system's.
//
// Blocks below largeBlock are cut from chunks; larger ones are mapped each by itself, aligned so
// that the system can use huge pages.
type pool struct {
	name  string
	limit int64 // bytes asked for at most; 0 means none

	mu     sync.Mutex
	asked  int64 // bytes asked for and in use, as tile.Device counts them
	used   int64 // the same in whole blocks
	mapped int64 // bytes mapped
	idle   int64 // bytes of large blocks in free lists
	free   [classes][]unsafe.Pointer
	rest   []byte   // what is left of the newest chunk
	chunks [][]byte // as mapped
	turn   int64    // from 1 to spread, of the block that was shifted last
	large  map[unsafe.Pointer][]byte
	fresh  map[unsafe.Pointer]bool // large blocks in which nothing was written before they were handed out last, or that have been cleared since
}

const (
	alignment  = 64
	hugePage   = 2 << 20
	largeBlock = 1 << 20
	chunkBytes = 4 << 20
	idleBytes  = 512 << 20 // idle memory that is not worth giving back
	classes    = 4 * 48

	// Blocks from shifted to hugePage begin a multiple of apart, from 1 to spread times, behind where they might: of
	// what begins alike within a page, a loop that writes several results keeps all in the same few lines of the
	// caches, each of which has to be fetched again for the next result.
	shifted = 256 << 10
	apart   = 4096 + 512
	spread  = 7
)

// class returns the size class of a request and the bytes of its blocks: four classes for
// each power of two, so that at most a fifth of a block is waste.
func class(n int64) (int, int64) {
	if n <= alignment {
		return 0, alignment
	}
	// n-1 = 1xx... in binary: the two bits after the first choose the quarter.
	u := uint64(n - 1)
	shift := bits.Len64(u) - 3
	quarter := u>>uint(shift) + 1 // 5 to 8
	size := int64(quarter << uint(shift))
	if size%alignment != 0 { // 80, 96, 112, 160, 224 bytes
		return class((n + alignment - 1) / alignment * alignment)
	}
	return 4*(shift-3) + int(quarter) - 4, size
}

// alloc returns a block of at least n bytes, its class, and whether it is known to be zero.
func (m *pool) alloc(n int64) (p unsafe.Pointer, k int, fresh bool, err error) {
	if n < 0 || n > 1<<46 {
		return nil, 0, false, fmt.Errorf("cpu: %s: allocation of %d bytes: %w", m.name, n, tile.ErrOutOfMemory)
	}
	k, size := class(n)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit > 0 && charge(n) > m.limit-m.asked {
		return nil, 0, false, fmt.Errorf("cpu: %s: %d bytes on top of %d in use of %d: %w", m.name, n, m.asked, m.limit, tile.ErrOutOfMemory)
	}
	if s := m.free[k]; len(s) > 0 {
		p := s[len(s)-1]
		m.free[k] = s[:len(s)-1]
		m.used += size
		m.asked += charge(n)
		if size >= largeBlock {
			m.idle -= size
		}
		return p, k, m.fresh[p], nil
	}
	p, err = m.grow(size)
	if err != nil {
		return nil, 0, false, fmt.Errorf("cpu: %s: mapping %d bytes: %w (%w)", m.name, size, tile.ErrOutOfMemory, err)
	}
	m.used += size
	m.asked += charge(n)
	return p, k, m.fresh[p], nil
}

// charge returns what a request counts against the limit.
func charge(n int64) int64 { return (max(n, 1) + alignment - 1) &^ (alignment - 1) }

// put takes a block back that was handed out for n bytes.
func (m *pool) put(p unsafe.Pointer, k int, n int64) {
	if p == nil || k < 0 || k >= classes {
		panic(fmt.Sprintf("BUG: inv 4: %s: free of a buffer at %p of class %d that is not its own", m.name, p, k))
	}
	m.mu.Lock()
	m.free[k] = append(m.free[k], p)
	size := blockSize(k)
	if pages := m.large[p]; m.fresh[p] && !(sparse(unsafe.Pointer(unsafe.SliceData(pages)), int64(len(pages))) && clearPages(pages)) {
		delete(m.fresh, p)
	}
	m.used -= size
	m.asked -= charge(n)
	if size >= largeBlock {
		m.idle += size
	}
	m.mu.Unlock()
}

// blockSize is the inverse of class.
func blockSize(k int) int64 {
	if k == 0 {
		return alignment
	}
	shift, quarter := (k-1)/4+3, (k-1)%4+5
	return int64(quarter) << uint(shift)
}

// grow maps a block that is in no free list.
func (m *pool) grow(size int64) (unsafe.Pointer, error) {
	shift := int64(0)
	if size >= shifted && size < hugePage {
		m.turn = m.turn%spread + 1
		shift = m.turn * apart
	}
	if size < largeBlock {
		if int64(len(m.rest)) < shift+size {
			b, err := m.mapPages(chunkBytes)
			if err != nil {
				return nil, err
			}
			m.chunks = append(m.chunks, b)
			m.rest = aligned(b, chunkBytes)
		}
		p := unsafe.Pointer(unsafe.SliceData(m.rest[shift:]))
		m.rest = m.rest[shift+size:]
		return p, nil
	}
	if m.idle > max(m.used, idleBytes) {
		// The program has gone on to other sizes. A system that promises more memory than it
		// has would not refuse the new pages, but end the process.
		m.trim()
	}
	b, err := m.mapPages(shift + size)
	if err != nil {
		return nil, err
	}
	p := unsafe.Pointer(unsafe.SliceData(aligned(b[shift:], size)))
	m.large[p], m.fresh[p] = b, true
	return p, nil
}

// mapPages maps size bytes, with room to align large ones to huge pages.
func (m *pool) mapPages(size int64) ([]byte, error) {
	n := size
	if size >= hugePage {
		n += hugePage
	}
	if m.limit > 0 && m.mapped+n > m.limit {
		m.trim()
	}
	const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_ANON | syscall.MAP_PRIVATE
	b, err := syscall.Mmap(-1, 0, int(n), access, kind)
	if err != nil {
		m.trim()
		if b, err = syscall.Mmap(-1, 0, int(n), access, kind); err != nil {
			return nil, err
		}
	}
	m.mapped += n
	if size >= hugePage {
		// Only a hint: a system without huge pages refuses it, and nothing is lost.
		_ = syscall.Madvise(aligned(b, size), syscall.MADV_HUGEPAGE)
	}
	return b, nil
}

// aligned returns the part of a mapping that starts at a huge page, where it is that large.
func aligned(b []byte, size int64) []byte {
	if size < hugePage {
		return b
	}
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (hugePage - 1)
	return b[skip:][:size]
}

// trim gives the large blocks that are free back to the system.
func (m *pool) trim() {
	for k := range m.free {
		if blockSize(k) < largeBlock {
			continue
		}
		for _, p := range m.free[k] {
			m.unmap(m.large[p])
			delete(m.large, p)
			delete(m.fresh, p)
		}
		m.free[k] = nil
	}
	m.idle = 0
}

func (m *pool) unmap(b []byte) {
	m.mapped -= int64(len(b))
	if err := syscall.Munmap(b); err != nil {
		panic(fmt.Sprintf("BUG: inv 4: %s: unmapping %d bytes: %v", m.name, len(b), err))
	}
}

// close unmaps everything, used or not.
func (m *pool) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.large {
		m.unmap(b)
	}
	for _, b := range m.chunks {
		m.unmap(b)
	}
	m.used, m.asked, m.idle, m.rest, m.chunks = 0, 0, 0, nil, nil
	clear(m.free[:])
	clear(m.large)
	clear(m.fresh)
}
