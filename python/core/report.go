//go:build extension

package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"weft/scheduler/driver"
)

// maxReports bounds the files of a process that panics again and again.
const maxReports = 10

var reports atomic.Int32

// reportPanic writes what is known of a panic to a file, which can be sent with a report, and to the log. It returns what to tell the
// user about the file.
func reportPanic(what string, cause any, stack []byte) string {
	text := fmt.Sprintf("panic in %s: %v\n%s", what, cause, stack)
	logf("BUG: %s", text)
	if n := reports.Add(1); n > maxReports {
		return fmt.Sprintf("the first %d reports are in %s", maxReports, os.TempDir())
	}
	f, err := os.CreateTemp("", "weft-report-*.txt") // for its owner alone
	if err != nil {
		return fmt.Sprintf("no report could be written (%v); the stack is in the kernel's log", err)
	}
	machine := ""
	if m := the.machine; m != nil {
		machine = m.text + "\n"
	}
	_, err = fmt.Fprintf(f, "weft %s, %s, %s/%s, process %d, %s\n%sflags: %s\n\n%s\n%s", coreVersion, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, os.Getpid(), time.Now().Format(time.RFC3339), machine, the.settings.flags.JSON(), text, doing())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Sprintf("the report %s is not complete (%v)", f.Name(), err)
	}
	return "a report is in " + f.Name()
}

// breakage remembers the report of the runtime that broke last: every call after the panic says where it is.
type breakage struct {
	mu   sync.Mutex
	of   *driver.PanicError
	said string
}

func (b *breakage) tell(e *driver.PanicError) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of != e {
		b.of, b.said = e, reportPanic("the runtime", e.Cause, e.Stack)
	}
	return fmt.Errorf("weft: internal error in the runtime: %v; its arrays are lost, other variables are not: restart the kernel to use arrays again; %s", e.Cause, b.said)
}
