package wire

import (
	"fmt"
	"log"
	"strings"
	"sync"
)

// Journal writes lines about what peers did to a log, and keeps peers from filling the log: each cause is written a few
// times and then ever more rarely, a line is short, and nothing of a peer's begins a line of its own. It may be used by
// several goroutines.
type Journal struct {
	log *log.Logger

	mu    sync.Mutex
	times map[string]int // lines by cause
}

// causeShown is how often one cause is written out; after that only when it has come twice as often.
const (
	causeShown = 16
	lineBytes  = 500 // of one line, from where on it is cut
)

// NewJournal makes a journal that writes to l.
func NewJournal(l *log.Logger) *Journal { return &Journal{log: l, times: map[string]int{}} }

// Report writes a line. The cause is one of the few that the program text has: it is what is counted.
func (j *Journal) Report(cause, format string, args ...any) {
	j.mu.Lock()
	j.times[cause]++
	n := j.times[cause]
	j.mu.Unlock()
	if n > causeShown && n&(n-1) != 0 {
		return
	}
	line := OneLine(fmt.Sprintf(format, args...), lineBytes)
	if n >= causeShown {
		line += fmt.Sprintf(" (the %dth time; next after as many more)", n)
	}
	j.log.Print(line)
}

// OneLine makes of a text what may stand in a log: on one line, without control characters, at most most bytes.
func OneLine(text string, most int) string {
	left := len(text) - most
	if left > 0 {
		text = text[:most]
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if left > 0 {
		text += fmt.Sprintf(" ... and %d bytes more", left)
	}
	return text
}
