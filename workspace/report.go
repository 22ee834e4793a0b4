package workspace

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"weft/scheduler/driver"
)

// maxReports bounds the files of a process that panics again and again.
const maxReports = 10

// ReportPanic writes what is known of a panic to a file, which can be sent with a report, and to the log. It returns
// what to tell the user about the file.
func (s *Workspace) ReportPanic(what string, cause any, stack []byte) string {
	text := fmt.Sprintf("panic in %s: %v\n%s", what, cause, stack)
	s.options.Surface.Log("BUG: %s", text)
	if n := s.reports.Add(1); n > maxReports {
		return fmt.Sprintf("the first %d reports are in %s", maxReports, os.TempDir())
	}
	f, err := os.CreateTemp("", "weft-report-*.txt") // for its owner alone
	if err != nil {
		return fmt.Sprintf("no report could be written (%v); the stack is in the kernel's log", err)
	}
	machine := ""
	if m := s.Machine(); m != nil {
		machine = m.text + "\n"
	}
	_, err = fmt.Fprintf(f, "weft %s, %s, %s/%s, process %d, %s\n%sflags: %s\n\n%s\n%s", s.options.Version, runtime.Version(), runtime.GOOS,
		runtime.GOARCH, os.Getpid(), time.Now().Format(time.RFC3339), machine, s.Flags().JSON(), text, s.Doing())
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

// Broken says that the runtime has broken, and where the report on it is.
func (s *Workspace) Broken(e *driver.PanicError) error {
	b := &s.breakage
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of != e {
		b.of, b.said = e, s.ReportPanic("the runtime", e.Cause, e.Stack)
	}
	return fmt.Errorf("weft: internal error in the runtime: %v; its arrays are lost, other variables are not: restart the kernel to use arrays again; %s", e.Cause, b.said)
}
