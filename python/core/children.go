//go:build extension

package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// children are the processes that cells have started, down to grandchildren, those that were started last first.
// Children with a session or a group of their own (daemons) are not among them.
func children() []int {
	own, err := syscall.Getpgid(0)
	if err != nil {
		return nil
	}
	var found []int
	var visit func(pid int)
	visit = func(pid int) {
		tasks, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
		if err != nil {
			return
		}
		for _, task := range tasks {
			list, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + task.Name() + "/children")
			if err != nil {
				continue
			}
			for _, word := range strings.Fields(string(list)) {
				child, err := strconv.Atoi(word)
				if err != nil {
					continue
				}
				if group, err := syscall.Getpgid(child); err == nil && group == own {
					visit(child)
					found = append(found, child)
				}
			}
		}
	}
	visit(os.Getpid())
	return found
}

// interruptChildren sends SIGINT, as a terminal's Ctrl-C would.
func interruptChildren() { signalAll(children(), syscall.SIGINT) }

func signalAll(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may be gone already
	}
}

// childGrace is how long children have to end by themselves when the kernel does.
const childGrace = 500 * time.Millisecond

// endChildren ends the processes that cells have left behind, which would outlive the kernel.
func endChildren() {
	var ends []unix.PollFd // readable when their process has ended
	all := children()
	for _, pid := range all {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil { // else it is gone already
			ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	signalAll(all, syscall.SIGTERM)
	for deadline := time.Now().Add(childGrace); len(ends) > 0; {
		left := time.Until(deadline)
		if n, err := unix.Poll(ends, max(int(left.Milliseconds()), 0)); n == 0 || err != nil && err != unix.EINTR {
			break // the time is over
		}
		ends = slices.DeleteFunc(ends, func(p unix.PollFd) bool {
			if p.Revents == 0 {
				return false
			}
			_ = unix.Close(int(p.Fd))
			return true
		})
	}
	for _, p := range ends {
		_ = unix.PidfdSendSignal(int(p.Fd), unix.SIGKILL, nil, 0)
		_ = unix.Close(int(p.Fd))
	}
}
