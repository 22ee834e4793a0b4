package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"

	"weft/install/flags"
	"weft/internal/debug"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/live"
)

// table is that of the services that answer with text. The argument is the name of a
// cell (In[3]; "" is the last one that ran operations, "*" everything since the start) where
// nothing else is said.
func (s *Workspace) table() map[string]func(argument string) (string, error) {
	of := s.needsMachine
	table := map[string]func(string) (string, error){
		"flags":     func(string) (string, error) { return flags.Help() + "\n" + debug.Help(), nil },
		"settings":  func(string) (string, error) { return s.Flags().JSON(), nil },
		"seed":      func(string) (string, error) { return s.debugSeed() },
		"checks":    func(string) (string, error) { return s.debugChecks() },
		"describe":  of(func(m *Machine, _ string) (string, error) { return m.text, nil }),
		"occupancy": of((*Machine).occupancy), // argument: a program of threads and its blocks, as JSON
		"stats":     of(func(m *Machine, _ string) (string, error) { return asJSON(m.stats()) }),
		"stats_doc": func(string) (string, error) { return statsDoc(), nil },
		"counts":    of(func(*Machine, string) (string, error) { return asJSON(s.counts()) }),
		"delegated": of((*Machine).delegated),
		"dataflow":  of((*Machine).dataflow),
		"events":    of((*Machine).events),
		"flowpage":  of((*Machine).dataflowPage),
		"taskpage":  of((*Machine).eventsPage),
		"png":       s.drawPNG, // argument: DOT text
		"timeline":  of((*Machine).timeline),
		"plan":      of((*Machine).plan),
		"verify":    of((*Machine).verify),
		"summary":   of((*Machine).summary),
		"names":     of((*Machine).told), // argument: names of stores, as JSON
		"memory":    of((*Machine).memory),
		"mark":      of((*Machine).mark),
		"lines":     of((*Machine).lines), // argument: what is asked about, as JSON
		"acts":      of((*Machine).acts),
		"counting":  s.counting, // argument: on or off
		"validate":  of((*Machine).validate),
		"save":      of((*Machine).save), // argument: the file
		"recording": of(func(m *Machine, on string) (string, error) {
			m.rt.Record(on == "on")
			s.options.Program.Noting(on == "on")
			return "", nil
		}),
		"progress": s.progress.set, // argument: on or off
		"record":   s.record,       // argument: the file
		"viewer":   s.viewerAddress,
		"chrome":   of(written(profiler.WriteChrome)),
		"json":     of(written(profiler.WriteJSON)),
		"csv":      of(written(profiler.WriteCSV)),
	}
	maps.Copy(table, s.options.Queries)
	return table
}

// Query answers a query of the table; known says whether there is such a one. Any goroutine may ask.
func (s *Workspace) Query(name, argument string) (answer string, known bool, err error) {
	of, known := s.queries[name]
	if !known {
		return "", false, nil
	}
	answer, err = of(argument)
	return answer, true, err
}

// debugSeed is N of WEFT_DEBUG=seed=N, or nothing.
func (s *Workspace) debugSeed() (string, error) {
	wanted, err := debug.Parse(s.Getenv(debug.Variable))
	if err != nil || !wanted.Seed.Set {
		return "", err
	}
	return strconv.FormatUint(wanted.Seed.Value, 10), nil
}

// debugChecks is what WEFT_DEBUG has kernels look for: guards, nans, both or nothing.
func (s *Workspace) debugChecks() (string, error) {
	wanted, err := debug.Parse(s.Getenv(debug.Variable))
	switch {
	case err != nil:
		return "", err
	case wanted.NaNs:
		return "guards nans", nil
	case wanted.Guards:
		return "guards", nil
	}
	return "", nil
}

func (s *Workspace) needsMachine(answer func(m *Machine, argument string) (string, error)) func(string) (string, error) {
	return func(argument string) (string, error) {
		m := s.Machine()
		if m == nil {
			return "", fmt.Errorf("no array operation has run yet")
		}
		return answer(m, argument)
	}
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// everything is the argument that stands for the whole run.
const everything = "*"

// chosen is the part of the run that a query is about.
func (m *Machine) chosen(argument string) (cell, error) {
	if argument == everything {
		return cell{name: "everything", mark: driver.Cell{LastOp: ^scheduler.OpID(0), LastTask: ^scheduler.TaskID(0), End: m.rt.Now()}, lastNote: everyNote}, nil
	}
	return m.space.cells.pick(argument)
}

// trace is what was recorded of a cell: its own tasks, whenever they ran, and whatever has no
// operation between its start and its last task's end.
func (m *Machine) trace(c cell) *profiler.Trace {
	m.relate()
	t := m.rt.Recorder().Snapshot()
	m.anchor(t)
	if c.mark.FirstOp == 0 && c.mark.LastOp == ^scheduler.OpID(0) {
		return t
	}
	end := c.mark.End
	for _, task := range m.tasks(c) {
		end = max(end, task.End)
	}
	t = t.Between(c.mark.Start, end)
	var kept []profiler.Record
	for _, rec := range t.Records {
		own := rec.Op > uint32(c.mark.FirstOp) && rec.Op <= uint32(c.mark.LastOp)
		memory := rec.Kind == profiler.Alloc || rec.Kind == profiler.Free // of whatever op: it is in use then
		if own || memory || rec.Op == 0 && rec.Start < c.mark.End {
			kept = append(kept, rec)
		}
	}
	t.Records = kept
	return t
}

func (m *Machine) timeline(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	t := m.trace(c)
	o := live.TimelineOptions{Title: "timeline of " + c.name, Palette: m.space.palette, Rates: m.rates(c, t)}
	bundle := live.TimelineBundle(t, o)
	return asJSON(map[string]string{
		"cell": c.name,
		"text": o.Title + "\n" + bundle["text/plain"],
		"svg":  bundle["image/svg+xml"],
		"html": bundle["text/html"],
		"page": string(live.TimelineHTML(t, o)),
	})
}

func (m *Machine) summary(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	return c.name + ": " + profiler.Summarize(m.trace(c)).String() + m.smallSummary(c), nil
}

// validate says what contradicts itself in the records of a cell, or of everything.
func (m *Machine) validate(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	found := []string{}
	for _, v := range profiler.Validate(m.trace(c)) {
		found = append(found, v.Rule+": "+v.Text)
	}
	return asJSON(found)
}

// written answers with what an exporter of the profiler writes.
func written(write func(io.Writer, *profiler.Trace) error) func(*Machine, string) (string, error) {
	return func(m *Machine, argument string) (string, error) {
		c, err := m.chosen(argument)
		if err != nil {
			return "", err
		}
		var b bytes.Buffer
		err = write(&b, m.trace(c))
		return b.String(), err
	}
}
