package cpu

import (
	"runtime"
	"syscall"
	"unsafe"
)

// sparse reports whether less than a quarter of a block is resident. It is good for a choice only: pages that the
// system has moved out count as if there were none.
func sparse(p unsafe.Pointer, size int64) bool {
	const stretch = 64 << 20
	page := int64(syscall.Getpagesize())
	pages := make([]byte, min(size, stretch)/page+1)
	resident := int64(0)
	for at := int64(0); at < size; at += stretch {
		n := min(stretch, size-at)
		_, _, failed := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Add(p, at)), uintptr(n), uintptr(unsafe.Pointer(&pages[0])))
		if failed != 0 {
			return false
		}
		for _, in := range pages[:(n+page-1)/page] {
			resident += int64(in & 1)
		}
		if resident*page >= size/4 {
			return false
		}
	}
	runtime.KeepAlive(pages)
	return true
}

// clearPages makes a block one of untouched pages, which are zero. It is false where the system refuses.
func clearPages(block []byte) bool { return syscall.Madvise(block, syscall.MADV_DONTNEED) == nil }
