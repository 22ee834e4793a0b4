package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"weft/profiler"
	"weft/viz"
)

// exports is the table of forms that a profile can be converted to. Those that can be written of a profile that is longer than memory
// should hold have a second way; of others there are parts, one at a time.
var exports = []struct {
	flag  string
	write func(io.Writer, *profiler.Trace) error
	long  func(w io.Writer, path string) error
}{
	{"--perfetto", profiler.WritePerfetto, nil}, // for ui.perfetto.dev
	{"--chrome", profiler.WriteChrome, nil},     // opens in Perfetto's and Chrome's trace viewers
	{"--html", func(w io.Writer, t *profiler.Trace) error {
		_, err := w.Write(viz.TimelineHTML(t, viz.TimelineOptions{}))
		return err
	}, nil},
	{"--csv", profiler.WriteCSV, profiler.WriteCSVOf},
	{"--json", profiler.WriteJSON, nil},
	{"--check", checkTrace, checkFile},
	{"--dot", graphForm("dataflow", dotOf), graphOfFile("dataflow", dotOf)},
	{"--svg", graphForm("dataflow", svgOf), graphOfFile("dataflow", svgOf)},
	{"--graph", graphForm("dataflow", pageOf), graphOfFile("dataflow", pageOf)},
	{"--events-dot", graphForm("events", dotOf), graphOfFile("events", dotOf)},
	{"--events-svg", graphForm("events", svgOf), graphOfFile("events", svgOf)},
	{"--events-graph", graphForm("events", pageOf), graphOfFile("events", pageOf)},
	{"--text", func(w io.Writer, t *profiler.Trace) error {
		_, err := io.WriteString(w, t.String())
		return err
	}, profiler.WriteTextOf},
}

// tooLong is how long a profile's file is that is not read as a whole, but in pieces or a part of it.
const tooLong = 256 << 20

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

// exportProfile converts a profile to one of the forms, to a file or the terminal.
func exportProfile(args []string) error {
	var in, out string
	var write func(io.Writer, *profiler.Trace) error
	var long func(io.Writer, string) error
	var part profiler.Part
	check := false
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
		if arg == "--from" || arg == "--to" {
			if i++; i >= len(args) {
				return usagef("export: %s needs a time from the first start on, such as 1.5s or 200ms", arg)
			}
			at, err := time.ParseDuration(args[i])
			if err != nil || at < 0 || arg == "--to" && at == 0 {
				return usagef("export: %s %q: want a time from the first start on, such as 1.5s or 200ms", arg, args[i])
			}
			if arg == "--from" {
				part.From = int64(at)
			} else {
				part.To = int64(at)
			}
			continue
		}
		if !strings.HasPrefix(arg, "-") && in == "" {
			in = arg
			continue
		}
		found := false
		for _, e := range exports {
			if e.flag == arg {
				write, long, found, check = e.write, e.long, true, arg == "--check"
			}
		}
		if !found {
			return usagef("export: got %q; want one profile, one of %s, -o FILE, and --from TIME --to TIME for a part", arg, strings.Join(known, ", "))
		}
	}
	if in == "" || write == nil {
		return usagef("export: want a profile and one of %s", strings.Join(known, ", "))
	}
	if check && part != (profiler.Part{}) {
		return usagef("export: --check is for all of a profile: what a part needs may lie before it; leave out --from and --to")
	}
	if part.To > 0 && part.To <= part.From {
		return usagef("export: the part from %v to %v is empty", time.Duration(part.From), time.Duration(part.To))
	}
	info, err := os.Stat(in)
	short := err != nil || info.Size() < tooLong
	if short || long == nil || part != (profiler.Part{}) {
		read := profiler.ReadFile
		if !short || part != (profiler.Part{}) {
			read = func(path string) (*profiler.Trace, error) { return profiler.ReadPart(path, part, profiler.MostOfPart) }
		}
		trace, err := read(in)
		if err != nil {
			return err
		}
		if part != (profiler.Part{}) && len(trace.Records) == 0 {
			return fmt.Errorf("export: nothing happened in the part of %s that is wanted; weft view shows from when to when there is something", in)
		}
		long = func(w io.Writer, _ string) error { return write(w, trace) }
	}
	file := os.Stdout
	if out != "" {
		if file, err = os.Create(out); err != nil {
			return err
		}
		defer file.Close()
	}
	buffered := bufio.NewWriter(file)
	if err := long(buffered, in); err != nil {
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
