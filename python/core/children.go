//go:build extension

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// children are the processes that cells have started, down to grandchildren, those that were started last first. Children with
// a session or a group of their own (daemons) are not among them.
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

const (
	childGrace = 500 * time.Millisecond // for children to end by themselves when the kernel does
	childPoll  = 5 * time.Millisecond
)

// endChildren ends the processes that cells have left behind: nobody would.
func endChildren() {
	all := children()
	signalAll(all, syscall.SIGTERM)
	for deadline := time.Now().Add(childGrace); time.Now().Before(deadline); time.Sleep(childPoll) {
		if all = living(all); len(all) == 0 {
			return
		}
	}
	signalAll(all, syscall.SIGKILL)
}

// living are those of the processes that have not ended. One that has ended stays until its parent asks, which may be this process.
func living(pids []int) []int {
	var rest []int
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue
		}
		_, state, _ := strings.Cut(string(stat), ") ")
		if !strings.HasPrefix(state, "Z") {
			rest = append(rest, pid)
		}
	}
	return rest
}
