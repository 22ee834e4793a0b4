package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"weft/profiler"
	"weft/viz/live"
)

// form is one row of the table of forms that a profile can be converted to. Those that can be written of a profile that
// is longer than memory should hold have a second way, long; of others there are parts, one at a time.
type form struct {
	option string
	about  string
	binary bool // never written to a terminal
	write  func(io.Writer, *profiler.Trace) error
	long   func(w io.Writer, path string) error
}

var forms = []form{
	{option: "--perfetto", about: "a trace for ui.perfetto.dev (binary)", binary: true, write: profiler.WritePerfetto},
	{option: "--chrome", about: "a trace as JSON, for Perfetto's and Chrome's viewers", write: profiler.WriteChrome},
	{option: "--html", about: "the timeline as a page that needs nothing else", write: writeTimeline},
	{option: "--csv", about: "a line for each record: tasks, copies, waits, ranges", write: profiler.WriteCSV, long: profiler.WriteCSVOf},
	{option: "--json", about: "all records as one object", write: profiler.WriteJSON},
	{option: "--text", about: "a summary to read", write: writeText, long: profiler.WriteTextOf},
	{option: "--check", about: "look for contradictions; fails if there are any", write: checkTrace, long: checkFile},
	{option: "--graph", about: "the dataflow graph as a page that needs nothing else", write: graphForm("dataflow", pageOf), long: graphOfFile("dataflow", pageOf)},
	{option: "--svg", about: "the same as a picture", write: graphForm("dataflow", svgOf), long: graphOfFile("dataflow", svgOf)},
	{option: "--dot", about: "the same for Graphviz", write: graphForm("dataflow", dotOf), long: graphOfFile("dataflow", dotOf)},
	{option: "--events-graph", about: "the graph of tasks and copies as a page", write: graphForm("events", pageOf), long: graphOfFile("events", pageOf)},
	{option: "--events-svg", about: "the same as a picture", write: graphForm("events", svgOf), long: graphOfFile("events", svgOf)},
	{option: "--events-dot", about: "the same for Graphviz", write: graphForm("events", dotOf), long: graphOfFile("events", dotOf)},
}

// tooLong is how long a profile's file is that is not read as a whole, but in pieces or a part of it.
const tooLong = 256 << 20

// conversion is what the options of "weft export" have set.
type conversion struct {
	form *form
	out  string
	part profiler.Part
}

func exportCommand() command {
	c := &conversion{}
	var table []option
	for i := range forms {
		table = append(table, option{forms[i].option, "", forms[i].about, func(string) error { c.form = &forms[i]; return nil }})
	}
	table = append(table,
		option{"-o", "FILE", "where to write it; - or nothing is standard output", isText(&c.out)},
		option{"--from", "TIME", "leave out what ended before, in times of the timeline: 10s, 200ms", isTime(&c.part.From, 0)},
		option{"--to", "TIME", "leave out what began later", isTime(&c.part.To, 1)},
	)
	return command{
		name: "export", args: "run.weftprof FORM [-o FILE] [--from TIME] [--to TIME]", about: "convert a profile",
		options: table, run: c.run,
		notes: "weft export run.weftprof --perfetto -o run.pftrace\nweft export run.weftprof --csv --from 10s --to 10.5s | head",
	}
}

// isTime makes an option's value a time in nanoseconds since the first start, of at least that many.
func isTime(at *int64, least time.Duration) func(string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < least {
			return fmt.Errorf("got %q; want a time from the first start on, such as 1.5s or 200ms", text)
		}
		*at = int64(d)
		return nil
	}
}

// run converts a profile to one of the forms, into a file or to standard output.
func (c *conversion) run(words []string) error {
	if err := c.complete(words); err != nil {
		return err
	}
	write, err := c.open(words[0])
	if err != nil {
		return err
	}
	return deliver(c.out, write)
}

// complete finds what is missing or does not go together, before anything is read.
func (c *conversion) complete(words []string) error {
	whole := c.part == profiler.Part{}
	switch {
	case len(words) != 1:
		return usagef("export: got %d profiles %q; want one, such as run.weftprof", len(words), words)
	case c.form == nil:
		return usagef("export: no form given; want one of %s", strings.Join(formNames(), ", "))
	case c.form.option == "--check" && !whole:
		return usagef("export: --check is for all of a profile: what a part needs may lie before it; leave out --from and --to")
	case c.part.To > 0 && c.part.To <= c.part.From:
		return usagef("export: the part from %v to %v is empty", time.Duration(c.part.From), time.Duration(c.part.To))
	case c.form.binary && isStandard(c.out) && isTerminal(os.Stdout):
		return usagef("export: %s is binary, and standard output is a terminal; name a file with -o FILE, or send it on with > or |", c.form.option)
	}
	return nil
}

func formNames() []string {
	var names []string
	for i := range forms {
		names = append(names, forms[i].option)
	}
	return names
}

// open reads what the form needs of the profile: nothing yet where there is a way for long ones, of which it returns
// the writer; else all of it or the part that is wanted.
func (c *conversion) open(path string) (func(io.Writer) error, error) {
	info, err := os.Stat(path)
	long := err == nil && info.Size() >= tooLong
	whole := c.part == profiler.Part{}
	if long && whole && c.form.long != nil {
		return func(w io.Writer) error { return c.form.long(w, path) }, nil
	}
	var trace *profiler.Trace
	if long || !whole {
		trace, err = profiler.ReadPart(path, c.part, profiler.MostOfPart)
	} else {
		trace, err = profiler.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if !whole && len(trace.Records) == 0 {
		return nil, fmt.Errorf("export: nothing happened in the part of %s that is wanted; weft view shows from when to when there is something", path)
	}
	return func(w io.Writer) error { return c.form.write(w, trace) }, nil
}

func writeTimeline(w io.Writer, t *profiler.Trace) error {
	_, err := w.Write(live.TimelineHTML(t, live.TimelineOptions{}))
	return err
}

func writeText(w io.Writer, t *profiler.Trace) error {
	_, err := io.WriteString(w, t.String())
	return err
}

// checkTrace says what contradicts itself in a profile, and fails if anything does.
func checkTrace(w io.Writer, t *profiler.Trace) error {
	return tellViolations(w, profiler.Validate(t), profiler.Checked{Records: uint64(len(t.Records)), Tasks: uint64(len(t.Tasks))})
}

// checkFile is checkTrace for a long profile.
func checkFile(w io.Writer, path string) error {
	found, checked, err := profiler.ValidateOf(path)
	if err != nil {
		return err
	}
	return tellViolations(w, found, checked)
}

func tellViolations(w io.Writer, found []profiler.Violation, n profiler.Checked) error {
	if len(found) == 0 {
		_, err := fmt.Fprintf(w, "nothing contradicts itself among %d records and %d tasks\n", n.Records, n.Tasks)
		if n.Far > 0 && err == nil {
			_, err = fmt.Fprintf(w, "%d waits for much older tasks were not looked at\n", n.Far)
		}
		return err
	}
	for _, v := range found {
		fmt.Fprintf(os.Stderr, "%s: %s\n", v.Rule, v.Text)
	}
	return fmt.Errorf("export: %d contradictions in the profile", len(found))
}
