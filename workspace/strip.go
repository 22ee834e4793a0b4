package workspace

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/units"
	"weft/scheduler/driver"
	"weft/viz/report"
)

// stripAfter is how long a cell runs before its strip is shown; stripEvery is how often it is brought up to date.
// Each update is a message that the front end writes into its document: few and small ones.
const (
	stripAfter = time.Second
	stripEvery = 400 * time.Millisecond
)

// progress shows what the runtime does while the program waits or goes on for long: in a notebook a strip below the
// cell, in a terminal a line.
type progress struct {
	space *Workspace

	asked   atomic.Pointer[string] // the program's "on" or "off"; nil: what the environment says
	mu      sync.Mutex
	current *strip
	behind  []*strip // of cells whose statements have ended, and whose work has not
	count   int

	terminal *os.File // that shows what is waited for; nil if none does
	lined    bool     // there is a line on it
}

// strip is that of one cell.
type strip struct {
	id     string
	out    Output
	rt     Runtime
	log    func(format string, args ...any)
	first  driver.Glance
	last   driver.Glance
	shown  bool
	due    int64 // of a cell whose statements have ended: how many tasks of the runtime have ended when its own have
	closed chan struct{}
}

// over says whether the work of a cell whose statements have ended has ended as well.
func (s *strip) over(now driver.Glance) bool { return now.Under == 0 || now.Tasks >= s.due }

// wanted says whether to show anything.
func (p *progress) wanted() bool {
	word := os.Getenv("WEFT_PROGRESS")
	if asked := p.asked.Load(); asked != nil {
		word = *asked
	}
	return word != "off"
}

// begin watches a cell of the main shell, if there is a runtime.
func (p *progress) begin(out Output, rt Runtime) {
	if !p.wanted() || out == nil {
		return
	}
	now := rt.Glance()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		close(p.current.closed) // an interrupt kept it from ending
	}
	p.complete(out)
	p.count++
	s := &strip{id: fmt.Sprintf("weft-strip-%d-%d", os.Getpid(), p.count), out: out, rt: rt, log: p.space.options.Surface.Log, first: now, last: now, closed: make(chan struct{})}
	p.current = s
	go func() {
		defer p.space.guard("strip")
		wait := time.NewTimer(stripAfter)
		defer wait.Stop()
		for {
			select {
			case <-s.closed:
				return
			case <-wait.C:
				p.update(s, rt)
				wait.Reset(stripEvery)
			}
		}
	}()
}

// update shows the present, if the strip is still wanted. The first time it does so when tasks are under way.
func (p *progress) update(s *strip, rt Runtime) {
	now := rt.Glance()
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.behind, s) {
		p.complete(p.space.options.Surface.Output()) // of the cell that runs now
	}
	if p.current != s && !slices.Contains(p.behind, s) || !s.shown && now.Pending == 0 {
		return
	}
	if s != p.current {
		s.goOn(now)
		return
	}
	href := ""
	if server := p.space.viewer.running(); server != nil {
		href = server.Link(os.Getenv)
	}
	what := stripOf(s.first, s.last, now)
	s.last = now
	s.show(what, href)
}

// end shows what it was in all, if anything was shown. Where tasks of the cell have still to run, its strip goes on
// behind it.
func (p *progress) end(rt Runtime) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.current
	p.current = nil
	if s == nil {
		p.complete(nil)
		return
	}
	if !s.shown {
		close(s.closed)
	} else {
		now := rt.Glance()
		s.due = now.Tasks + int64(now.Pending)
		p.behind = append(p.behind, s)
	}
	if p.complete(s.out); slices.Contains(p.behind, s) {
		s.goOn(s.last)
	}
}

// goOn shows how far the work is behind its cell: without the tasks of later cells, and without the viewer's address,
// since a notebook may be saved like that.
func (s *strip) goOn(now driver.Glance) {
	what := stripOf(s.first, s.last, now)
	what.Left = int(max(s.due-now.Tasks, 1))
	s.last = now
	s.show(what, "")
}

// complete shows for the last time the strips behind their cells whose work has ended. out is where the cell that runs
// now shows things, or nil: programs that save notebooks heed only what comes from the cell that they are running. The
// caller holds the lock.
func (p *progress) complete(out Output) {
	p.behind = slices.DeleteFunc(p.behind, func(s *strip) bool {
		now := s.rt.Glance()
		if out != nil {
			s.out = out
		}
		if !s.over(now) {
			return false
		}
		close(s.closed)
		s.show(stripOf(s.first, s.first, now).Ended(), "") // the notebook keeps it: no address, which has the viewer's token
		return true
	})
}

func (s *strip) show(what report.Strip, href string) {
	data := map[string]string{"text/plain": what.String(), "text/html": what.HTML(href)}
	if err := s.out.Display(s.id, data, s.shown); err != nil {
		s.log("progress: %v", err)
	}
	s.shown = true
}

// stripOf makes a strip of what happened since the first look, with the rates since the last.
func stripOf(first, last, now driver.Glance) report.Strip {
	s := report.Strip{Wall: now.At - first.At, Done: now.Tasks - first.Tasks, Left: now.Pending}
	took := float64(max(now.At-last.At, 1))
	s.Rate = float64(now.Bytes-last.Bytes) / took * 1e9
	for i, d := range now.Devices {
		if i < len(last.Devices) && d.Queues > 0 {
			share := float64(d.Busy-last.Devices[i].Busy) / took / float64(d.Queues)
			s.Processor = append(s.Processor, report.StripBar{Name: d.Name, Share: min(max(share, 0), 1)})
		}
	}
	for _, m := range now.Memories {
		bar := report.StripBar{Name: m.Name + " memory", Share: -1, Text: units.Size(m.Live)}
		if m.Total > 0 {
			bar.Share = float64(m.Live) / float64(m.Total)
			bar.Text += " of " + units.Size(m.Total)
		}
		s.Memory = append(s.Memory, bar)
	}
	return s
}

// terminalAfter is how long a program in a terminal waits before it is told what for.
const terminalAfter = time.Second

// followTerminal writes a line to a terminal while a program that is no kernel waits for long. The wait's end takes
// it away, before the program writes anything.
func (p *progress) followTerminal(terminal *os.File) {
	if _, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS); err != nil {
		return // it is a file or a pipe
	}
	p.terminal = terminal
	go func() {
		defer p.space.guard("progress")
		var first, last driver.Glance
		for range time.Tick(stripEvery) {
			m := p.space.Machine()
			if m == nil || !p.wanted() {
				continue
			}
			now := m.rt.Glance()
			if now.Waiting >= int64(terminalAfter) {
				what := stripOf(first, last, now)
				what.Wall = now.Waiting
				p.line(m.rt, what.String())
			}
			if last = now; now.Waiting == 0 {
				first = now
			}
		}
	}()
}

// line shows a text, unless the wait has just ended.
func (p *progress) line(rt Runtime, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines(true) // a thread that comes back from a wait from here on takes it away, after this
	if rt.Glance().Waiting == 0 {
		p.lines(false)
		return
	}
	fmt.Fprintf(p.terminal, "\r\x1b[Kweft: waiting %s", text)
}

// ClearLine takes the line away, if there is one.
func (s *Workspace) ClearLine() {
	p := &s.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lined {
		p.lines(false)
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}

// lines notes whether there is a line, with the lock held.
func (p *progress) lines(shown bool) {
	p.lined = shown
	p.space.options.Surface.Line(shown)
}

// set answers the query that turns progress on and off.
func (p *progress) set(word string) (string, error) {
	if word != "on" && word != "off" {
		return "", fmt.Errorf("progress: got %q, wanted on or off", word)
	}
	p.asked.Store(&word)
	return "", nil
}
