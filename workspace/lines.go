package workspace

import (
	"encoding/json"
	"fmt"
	"time"

	"weft/cpu"
	"weft/profiler"
	"weft/scheduler/driver"
	"weft/viz/report"
)

// quietFor is how long no cell has run when the copy speed is measured.
const quietFor = 300 * time.Millisecond

// measureWhenQuiet measures the copy speed if no cell runs until then. It is called when a cell ends.
func (c *cells) measureWhenQuiet() {
	c.quiet.Do(func() {
		var look func()
		ended := c.ended
		look = func() {
			defer c.space.guard("measuring the copy speed")
			c.mu.Lock()
			busy := len(c.open) > 0 || c.ended != ended
			ended = c.ended
			c.mu.Unlock()
			if busy {
				time.AfterFunc(quietFor, look)
				return
			}
			_, _ = c.space.copySpeed() // the report that needs it tells of the error
		}
		time.AfterFunc(quietFor, look)
	})
}

// mark tells where the program is: the beginning of a part that lines is asked about. All that has been asked for has
// run.
func (m *Machine) mark(string) (string, error) {
	if _, err := m.space.copySpeed(); err != nil {
		return "", err
	}
	m.follower.begin(m.space, m.rt.Recorder())
	return asJSON(m.rt.BeginCell(0))
}

// lines says what became of a part of a cell's program, line by line. The argument is JSON: the name and the text of
// the cell, what mark said before the part began, and what the sites of the samples are called. It is called when all
// of the part's operations have run.
func (m *Machine) lines(argument string) (string, error) {
	var part struct {
		Name, Text string
		Since      driver.Cell
		Sites      []string
		Modules    []string // of the sites: the shared objects that ran
		Sampled    bool     // whether there are samples of it
	}
	if err := json.Unmarshal([]byte(argument), &part); err != nil {
		return "", fmt.Errorf("lines: %w", err)
	}
	limit, err := m.space.copySpeed()
	if err != nil {
		return "", err
	}
	c := cell{name: part.Name, text: part.Text, mark: part.Since}
	now := m.rt.BeginCell(0)
	c.mark.LastOp, c.mark.LastTask, c.mark.End = now.FirstOp, now.FirstTask, now.Start
	m.relate()
	t, missing, err := m.follower.end()
	if err != nil {
		return "", err
	}
	o := report.LineOptions{
		Cell: c.name, Text: c.text, Source: uint32(m.rt.Source(c.name)), Ops: m.lineOps(c),
		Start: c.mark.Start, End: c.mark.End, Limit: limit, Caches: cpu.CacheBytes(), Missing: missing,
	}
	var mainTime, allTime int64
	if part.Sampled {
		o.Samples, mainTime, allTime = m.samplesOf(part.Sites, part.Modules)
	}
	if len(o.Samples) > 0 {
		o.Start, o.End = o.Samples[0].Start, o.Samples[len(o.Samples)-1].End
		o.Others = otherThreads(t, o, allTime-mainTime)
	}
	if part.Sampled {
		o.Counted = m.space.options.Program.Counted(true)
	}
	report := report.NewLineReport(t, o)
	m.samples.record(m.rt.Recorder(), o.Samples)
	html, svg := report.HTML(), report.SVG()
	return asJSON(map[string]any{"cell": c.name, "text": report.String(), "html": html, "svg": svg, "lines": report})
}

// samplesOf are those of the profile that has just ended, by the recorder's clock, and the processor time that the main
// thread and all threads took. sites and modules name what ran, by the numbers of sites.
func (m *Machine) samplesOf(sites, modules []string) (list []report.Sample, mainTime, allTime int64) {
	s := m.space.options.Program.Samples()
	shift := m.rt.Now() - s.Clock
	for _, row := range s.Rows {
		sample := row.Sample
		sample.Start += shift
		sample.End += shift
		if at := row.Site; at > 0 && at <= len(sites) {
			sample.Name = sites[at-1]
			if at <= len(modules) {
				sample.Module = modules[at-1]
			}
		}
		list = append(list, sample)
	}
	return list, s.Main, s.All
}

// worthOthers is from what part of the wall time on other threads are worth a word.
const worthOthers = 0.05

// otherThreads is the processor time that neither the main thread nor tasks took, of what all but the main one took.
func otherThreads(t *profiler.Trace, o report.LineOptions, all int64) int64 {
	for i := range t.Records {
		if rec := &t.Records[i]; rec.Kind == profiler.Run || rec.Kind == profiler.Copy {
			all -= rec.End - rec.Start
		}
	}
	if float64(all) < worthOthers*float64(o.End-o.Start) {
		return 0
	}
	return all
}

// lineOps are the operations of a cell as they were planned: with what was fused into them, and why not more.
func (m *Machine) lineOps(c cell) []report.LineOp {
	var ops []report.LineOp
	for _, op := range m.rt.Ops(c.mark.FirstOp) {
		if op.ID > c.mark.LastOp {
			break
		}
		row := report.LineOp{ID: uint32(op.ID), Where: place(op.Where)}
		for _, u := range op.Uses {
			bytes := int64(u.View.Elements()) * int64(u.View.Type.Size())
			if u.Access.Reads() {
				row.Reads += bytes
			}
			if u.Access.Writes() {
				row.Writes += bytes
			}
		}
		if split, known := m.split(op); known {
			row.Apart = fmt.Sprintf("apart from %v: %v", split.From, split.Why)
		}
		if why := m.rt.WhyWhole(op.Op); why != "" {
			row.Whole = why
		}
		ops = append(ops, row)
	}
	return ops
}
