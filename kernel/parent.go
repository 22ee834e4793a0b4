package kernel

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	parentPoll  = time.Second / 4
	parentGrace = 10 * time.Second
)

// watchParent ends the kernel when the process that started it is gone. Clients
// start kernels in a session of their own, so no signal tells.
func (k *Kernel) watchParent(o Options) {
	defer k.recoverTo("parent watch")
	gone, exit := o.parentGone, o.exit
	if exit == nil {
		exit = os.Exit
	}
	if gone == nil {
		pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
		if err != nil || pid <= 0 {
			return
		}
		gone = k.pollParent(pid)
	}
	select {
	case <-gone:
	case <-k.closed:
		return
	}
	k.log.Print("parent process is gone; stopping")
	k.interrupt()
	k.evaluator.Shutdown(false)
	k.finish(Exit{Reason: "parent process is gone"})
	// Code that cannot be interrupted must not keep an orphan alive.
	select {
	case <-k.closed:
	case <-time.After(parentGrace):
		k.log.Printf("the evaluator did not stop within %v; ending the process", parentGrace)
		exit(1)
	}
}

// pollParent closes its result when the parent is gone. A launcher may stand between
// the client and this process: then getppid never was pid, and its existence counts.
func (k *Kernel) pollParent(pid int) <-chan struct{} {
	gone := make(chan struct{})
	direct := os.Getppid() == pid
	go func() {
		defer k.recoverTo("parent watch")
		defer close(gone)
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for parentAlive(pid, direct) {
			select {
			case <-tick.C:
			case <-k.closed:
				return
			}
		}
	}()
	return gone
}

func parentAlive(pid int, direct bool) bool {
	if direct {
		return os.Getppid() == pid
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
