package cpu

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// mask is a set of CPUs as the system takes it.
type mask [128]uint64 // 8192 CPUs

func (m *mask) has(cpu int) bool { return m[cpu/64]>>(cpu%64)&1 != 0 }

func affinity(thread int) (m mask, ok bool) {
	_, _, fault := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, uintptr(thread), unsafe.Sizeof(m), uintptr(unsafe.Pointer(&m)))
	return m, fault == 0
}

// bind lets this thread run on a set of CPUs alone.
func bind(m *mask) bool {
	_, _, fault := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(*m), uintptr(unsafe.Pointer(m)))
	return fault == 0
}

// allowed are the CPUs that the process may run on: those of its first thread, which is never pinned.
func allowed() []int {
	m, ok := affinity(os.Getpid())
	if !ok {
		return nil
	}
	var list []int
	for cpu := range 64 * len(m) {
		if m.has(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

// onCPU runs f on one CPU, if this thread may run there, and gives the thread its CPUs back. Threads
// that are made meanwhile don't inherit the one: Go makes none from a locked thread, and f must not.
func onCPU(cpu int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, ok := affinity(0)
	if !ok || !before.has(cpu) {
		return f() // the process has been bound anew
	}
	var one mask
	one[cpu/64] = 1 << (cpu % 64)
	if bind(&one) {
		defer bind(&before)
	}
	return f()
}
