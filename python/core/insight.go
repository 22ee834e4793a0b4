//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"weft/arrays"
	"weft/install/flags"
	"weft/internal/debug"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/live"
)

// queries is the table of the services that answer with text. The argument is the name of a
// cell (In[3]; "" is the last one that ran operations, "*" everything since the start) where
// nothing else is said.
func queries() map[string]func(argument string) (string, error) {
	return map[string]func(string) (string, error){
		"flags":     func(string) (string, error) { return flags.Help() + "\n" + debug.Help(), nil },
		"settings":  func(string) (string, error) { return the.settings.flags.JSON(), nil },
		"seed":      func(string) (string, error) { return debugSeed() },
		"functions": func(string) (string, error) { return asJSON(functionNames()) },
		"describe":  needsMachine(func(m *machine, _ string) (string, error) { return m.text, nil }),
		"stats":     needsMachine(func(m *machine, _ string) (string, error) { return asJSON(m.stats()) }),
		"stats_doc": func(string) (string, error) { return statsDoc(), nil },
		"counts":    needsMachine(func(*machine, string) (string, error) { return asJSON(counts()) }),
		"delegated": needsMachine((*machine).delegated),
		"dataflow":  needsMachine((*machine).dataflow),
		"events":    needsMachine((*machine).events),
		"flowpage":  needsMachine((*machine).dataflowPage),
		"taskpage":  needsMachine((*machine).eventsPage),
		"png":       drawPNG, // argument: DOT text
		"timeline":  needsMachine((*machine).timeline),
		"plan":      needsMachine((*machine).plan),
		"verify":    needsMachine((*machine).verify),
		"summary":   needsMachine((*machine).summary),
		"names":     needsMachine((*machine).told), // argument: names of stores, as JSON
		"memory":    needsMachine((*machine).memory),
		"mark":      needsMachine((*machine).mark),
		"lines":     needsMachine((*machine).lines), // argument: what is asked about, as JSON
		"acts":      needsMachine((*machine).acts),
		"counting":  counting, // argument: on or off
		"validate":  needsMachine((*machine).validate),
		"save":      needsMachine((*machine).save), // argument: the file
		"recording": needsMachine(func(m *machine, on string) (string, error) {
			m.rt.Record(on == "on")
			C.weft_notes.off = cbool(on != "on")
			return "", nil
		}),
		"progress": the.progress.set, // argument: on or off
		"record":   the.record,       // argument: the file
		"viewer":   viewerAddress,
		"chrome":   needsMachine(written(profiler.WriteChrome)),
		"json":     needsMachine(written(profiler.WriteJSON)),
		"csv":      needsMachine(written(profiler.WriteCSV)),
	}
}

// debugSeed is N of WEFT_DEBUG=seed=N, or nothing.
func debugSeed() (string, error) {
	wanted, err := debug.Parse(the.settings.getenv(debug.Variable))
	if err != nil || !wanted.Seed.Set {
		return "", err
	}
	return strconv.FormatUint(wanted.Seed.Value, 10), nil
}

// goQuery answers a query. It is called without the interpreter's lock.
//
//export goQuery
func goQuery(name, argument *C.char, out **C.char, n *C.int64_t, e *C.weft_error) (rc C.int) {
	what := C.GoString(name)
	defer caught(what, &rc, e)
	answer, ok := queries()[what]
	if !ok {
		return fail(&arrays.Error{Type: "ValueError", Text: "weft._core.query: there is no query " + what}, e)
	}
	text, err := answer(C.GoString(argument))
	if err != nil {
		return fail(err, e)
	}
	*out = C.CString(text)
	*n = C.int64_t(len(text))
	return C.WEFT_OK
}

func needsMachine(answer func(m *machine, argument string) (string, error)) func(string) (string, error) {
	return func(argument string) (string, error) {
		if the.machine == nil {
			return "", fmt.Errorf("no array operation has run yet")
		}
		return answer(the.machine, argument)
	}
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func functionNames() []string {
	var names []string
	for _, f := range arrays.Functions() {
		names = append(names, f.Name)
	}
	return names
}

// counts are the calls that ran natively, by NumPy's name of the function or operator.
func counts() map[string]int64 {
	all := map[string]int64{}
	for i, n := range the.calls {
		if n > 0 {
			all[the.funcs[i].Name] += n
		}
	}
	for op, n := range the.ops {
		if n > 0 && op == C.OP_MATMUL {
			all["matmul"] += n
		} else if n > 0 {
			all[operators[op].Name()] += n
		}
	}
	return all
}

// everything is the argument that stands for the whole run.
const everything = "*"

// chosen is the part of the run that a query is about.
func (m *machine) chosen(argument string) (cell, error) {
	if argument == everything {
		return cell{name: "everything", mark: driver.Cell{LastOp: ^scheduler.OpID(0), LastTask: ^scheduler.TaskID(0), End: m.rt.Now()}, lastNote: everyNote}, nil
	}
	return the.cells.pick(argument)
}

// trace is what was recorded of a cell: its own tasks, whenever they ran, and whatever has no
// operation between its start and its last task's end.
func (m *machine) trace(c cell) *profiler.Trace {
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

func (m *machine) timeline(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	t := m.trace(c)
	o := live.TimelineOptions{Title: "timeline of " + c.name, Palette: the.palette, Rates: m.rates(c, t)}
	bundle := live.TimelineBundle(t, o)
	return asJSON(map[string]string{
		"cell": c.name,
		"text": o.Title + "\n" + bundle["text/plain"],
		"svg":  bundle["image/svg+xml"],
		"html": bundle["text/html"],
		"page": string(live.TimelineHTML(t, o)),
	})
}

func (m *machine) summary(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	return c.name + ": " + profiler.Summarize(m.trace(c)).String() + m.smallSummary(c), nil
}

// validate says what contradicts itself in the records of a cell, or of everything.
func (m *machine) validate(argument string) (string, error) {
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
func written(write func(io.Writer, *profiler.Trace) error) func(*machine, string) (string, error) {
	return func(m *machine, argument string) (string, error) {
		c, err := m.chosen(argument)
		if err != nil {
			return "", err
		}
		var b bytes.Buffer
		err = write(&b, m.trace(c))
		return b.String(), err
	}
}
