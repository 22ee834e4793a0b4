package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/scheduler"
	"weft/scheduler/driver"
)

// cells knows which cell is running and what the earlier ones did.
type cells struct {
	space *Workspace

	mu     sync.Mutex
	rt     Runtime
	files  map[scheduler.SourceID]string // of sources; of one that several files share, the latest
	titles map[string]string             // file names of compiled cells -> In[3]
	texts  map[string]string             // of the latest cells, by title: functions of theirs may run under a later runtime
	named  []string                      // the titles in texts, the oldest first
	seen   map[string]bool               // titles whose text this runtime has
	used   bool                          // there are cells: this is a kernel
	open   []*cell                       // running, at most one of each shell, in the order of their beginnings
	done   []cell
	ended  int       // how many have
	quiet  sync.Once // the copy speed is going to be measured

	fallbacks int64        // calls that went to NumPy
	fell      []fallenCall // the latest of these
}

// cell is one execution of a cell, or a whole script.
type cell struct {
	name, text, shell string
	mark              driver.Cell
	begun             time.Time
	annotation        uint64 // its range for the tool that the process runs under
	firstNote         int64  // of operations that were computed at once: from this number on
	lastNote          int64  // and below this one
	// Totals when it began, of this runtime. Cells of several shells that run at once count each other's work.
	before          driver.Cost
	fallbacksBefore int64
}

// maxCells bounds how many cells can be looked at later.
const maxCells = 4096

// moveTo is called when a runtime starts. What the earlier one did can't be drawn any more.
func (c *cells) moveTo(rt Runtime) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.space.notes.forget()
	c.rt = rt
	c.done, c.seen = nil, nil
	c.files = map[scheduler.SourceID]string{}
	for _, open := range c.open {
		c.begin(open)
	}
}

func (c *cells) begin(open *cell) {
	id := c.rt.Source(open.name)
	c.rt.SourceText(id, open.text)
	open.mark = c.rt.BeginCell(id)
	open.before = c.rt.Totals()
	open.firstNote = c.space.notes.count()
	if open.shell == "" {
		c.space.progress.begin(c.space.options.Surface.Output(), c.rt)
	}
}

// pick returns the cell of a name; the last one that ran operations if the name is empty;
// everything so far if there are no cells.
func (c *cells) pick(name string) (cell, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rt == nil {
		return cell{}, fmt.Errorf("no array operation has run yet")
	}
	forever := driver.Cell{LastOp: ^scheduler.OpID(0), LastTask: ^scheduler.TaskID(0), End: c.rt.Now()}
	var all []cell
	all = append(all, c.done...)
	for _, open := range c.open {
		running := *open
		running.mark.LastOp, running.mark.LastTask, running.mark.End = forever.LastOp, forever.LastTask, forever.End
		running.lastNote = everyNote
		all = append(all, running)
	}
	if name == "" && len(all) == 0 {
		return cell{name: "all operations", mark: forever, lastNote: everyNote}, nil
	}
	var known []string
	for i := len(all) - 1; i >= 0; i-- {
		one := all[i]
		worked := c.space.notes.between(one.firstNote, one.lastNote) > 0
		for _, op := range c.rt.Ops(one.mark.FirstOp) {
			worked = worked || op.ID <= one.mark.LastOp
			break
		}
		if worked && (name == "" || name == one.name) {
			return one, nil
		}
		if worked && len(known) < 10 {
			known = append(known, one.name)
		}
	}
	if len(known) == 0 {
		return cell{}, fmt.Errorf("no cell has run array operations yet since the runtime started")
	}
	return cell{}, fmt.Errorf("%s is not among the cells whose array operations are still known; the latest are %s", name, strings.Join(known, ", "))
}

// title is what a file of the user's program is called: In[3], or a path that is short.
func (c *cells) title(file string) string {
	c.mu.Lock()
	title, ok := c.titles[file]
	c.mu.Unlock()
	if ok {
		return title
	}
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, file); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return filepath.Base(file)
}

// maxText is the largest source file that is kept for the viewer.
const maxText = 1 << 20

// firstLook returns the text of a file or cell; nothing when the runtime has it: a file has
// many code objects.
func (c *cells) firstLook(file, title string) string {
	c.mu.Lock()
	text, isCell := c.texts[title]
	first := !c.seen[title] // and not the file: cells of the same text have one
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[title] = true
	c.mu.Unlock()
	if !first {
		return ""
	}
	if isCell {
		return text
	}
	if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() && st.Size() <= maxText {
		if b, err := os.ReadFile(file); err == nil {
			return string(b)
		}
	}
	return ""
}

// Source returns the number of a file of the user's program, 0 without a machine.
func (s *Workspace) Source(path string) scheduler.SourceID {
	m := s.Machine()
	if m == nil {
		return 0
	}
	c := &s.cells
	title := c.title(path)
	id := m.rt.Source(title)
	c.mu.Lock()
	c.files[id] = path
	c.mu.Unlock()
	if text := c.firstLook(path, title); text != "" {
		m.rt.SourceText(id, text)
	}
	return id
}

// File returns the file that code of a source was compiled from.
func (s *Workspace) File(id scheduler.SourceID) string {
	c := &s.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[id]
}

// NameSource gives a compiled cell's file its title.
func (s *Workspace) NameSource(file, title string) {
	c := &s.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.titles == nil {
		c.titles = map[string]string{}
	}
	c.titles[file] = title
}

// displaySource is the name of the place of what is asked for to show a value: the copies of what is printed are no
// part of the program, and not in its graphs.
const displaySource = "display"

// DisplaySource returns its number, 0 without a machine.
func (s *Workspace) DisplaySource() scheduler.SourceID {
	m := s.Machine()
	if m == nil {
		return 0
	}
	return m.rt.Source(displaySource)
}

// displays says whether something was asked for only to show a value.
func (m *Machine) displays(w scheduler.Where) bool {
	return w.Source != 0 && m.rt.SourceName(w.Source) == displaySource
}

// BeginCell notes that a cell of a shell begins. What the eager tier has computed before it has been taken by then.
func (s *Workspace) BeginCell(name, text, shell string) {
	c := &s.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = true
	if c.texts == nil {
		c.texts = map[string]string{}
	}
	open := &cell{name: name, text: text, shell: shell, begun: time.Now(), fallbacksBefore: c.fallbacks}
	if _, again := c.texts[open.name]; !again {
		c.named = append(c.named, open.name)
	}
	c.texts[open.name] = open.text
	if len(c.named) > maxCells {
		delete(c.texts, c.named[0])
		c.named = slices.Delete(c.named, 0, 1)
	}
	c.take(open.shell) // one that an interrupt has kept from ending
	c.open = append(c.open, open)
	open.annotation = s.tool().Begin(open.name)
	if c.rt != nil {
		c.begin(open)
	}
}

// take removes the open cell of a shell, nil if there is none.
func (c *cells) take(shell string) *cell {
	i := slices.IndexFunc(c.open, func(open *cell) bool { return open.shell == shell })
	if i < 0 {
		return nil
	}
	open := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	c.space.tool().End(open.annotation)
	return open
}

// running returns the last op before the cell that is running. A script is one cell; between
// two cells nothing runs that an interrupt is about.
func (c *cells) running() (rt Runtime, since scheduler.OpID, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.used {
		return c.rt, 0, c.rt != nil
	}
	for _, open := range c.open {
		if open.shell == "" { // interrupts are for the main shell
			return c.rt, open.mark.FirstOp, c.rt != nil
		}
	}
	return nil, 0, false
}
