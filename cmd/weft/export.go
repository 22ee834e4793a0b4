package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"weft/profiler"
	"weft/viz"
)

// exports is the table of forms that a profile can be converted to.
var exports = []struct {
	flag  string
	write func(io.Writer, *profiler.Trace) error
}{
	{"--perfetto", profiler.WritePerfetto}, // for ui.perfetto.dev
	{"--chrome", profiler.WriteChrome},     // opens in Perfetto's and Chrome's trace viewers
	{"--html", func(w io.Writer, t *profiler.Trace) error {
		_, err := w.Write(viz.TimelineHTML(t, viz.TimelineOptions{}))
		return err
	}},
	{"--csv", profiler.WriteCSV},
	{"--json", profiler.WriteJSON},
	{"--check", checkTrace},
	{"--dot", graphForm("dataflow", dotOf)},
	{"--svg", graphForm("dataflow", svgOf)},
	{"--graph", graphForm("dataflow", pageOf)},
	{"--events-dot", graphForm("events", dotOf)},
	{"--events-svg", graphForm("events", svgOf)},
	{"--events-graph", graphForm("events", pageOf)},
	{"--text", func(w io.Writer, t *profiler.Trace) error {
		_, err := io.WriteString(w, t.String())
		return err
	}},
}

// checkTrace says what contradicts itself in a profile, and fails if anything does.
func checkTrace(w io.Writer, t *profiler.Trace) error {
	found := profiler.Validate(t)
	if len(found) == 0 {
		_, err := fmt.Fprintf(w, "nothing contradicts itself among %d records and %d tasks\n", len(t.Records), len(t.Tasks))
		return err
	}
	for _, v := range found {
		fmt.Fprintf(os.Stderr, "%s: %s\n", v.Rule, v.Text)
	}
	return fmt.Errorf("export: %d contradictions in the profile", len(found))
}

// exportProfile converts a profile to one of the forms, to a file or the terminal.
func exportProfile(args []string) error {
	var in, out string
	var write func(io.Writer, *profiler.Trace) error
	var known []string
	for _, e := range exports {
		known = append(known, e.flag)
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-o" {
			if i++; i >= len(args) {
				return usagef("export: -o needs a file name")
			}
			out = args[i]
			continue
		}
		if !strings.HasPrefix(arg, "-") && in == "" {
			in = arg
			continue
		}
		found := false
		for _, e := range exports {
			if e.flag == arg {
				write, found = e.write, true
			}
		}
		if !found {
			return usagef("export: got %q; want one profile, one of %s, and -o FILE", arg, strings.Join(known, ", "))
		}
	}
	if in == "" || write == nil {
		return usagef("export: want a profile and one of %s", strings.Join(known, ", "))
	}
	trace, err := profiler.ReadFile(in)
	if err != nil {
		return err
	}
	file := os.Stdout
	if out != "" {
		if file, err = os.Create(out); err != nil {
			return err
		}
		defer file.Close()
	}
	buffered := bufio.NewWriter(file)
	if err := write(buffered, trace); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	return file.Close()
}
