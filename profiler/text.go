package profiler

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The text form of a trace has one line per row, in the order of the tables:
//
//	trace 1700000000000000000
//	machine "cpus" "2"
//	lane "cpu0" "cpu" "d0" lost 0
//	source 1 "In [1]" "c = a + b\n"
//	form 1 "add" "map" 1:1 "(10)" "program add ..."
//	label 1 "halo" 1:1 "gpu0 to gpu1"
//	op o12 1
//	task t45 90 after t43 t44
//	record run 0 100 350 bytes 240 t45 o12
//	record copy 1 120 130 bytes 16 t44 o12 label 1
//	text "dataflow.dot" "digraph {}\n"
//	cut
//
// The numbers of forms and labels count from 1 and are there for the reader's eye. A record
// shows kind, lane, start and end in nanoseconds; bytes, task, op and label where they are
// not 0.

// String returns the text form, which Parse reads.
func (t *Trace) String() string {
	var b strings.Builder
	t.printTables(&b)
	printRows(&b, t.Ops, t.Tasks, t.Records)
	t.printEnd(&b)
	return b.String()
}

// printTables prints what comes before ops, tasks and records. What w fails with is its own affair here and below.
func (t *Trace) printTables(w io.Writer) {
	fmt.Fprintf(w, "trace %d\n", t.Epoch)
	for _, f := range t.Machine {
		fmt.Fprintf(w, "machine %q %q\n", f.Key, f.Value)
	}
	for i, l := range t.Lanes {
		fmt.Fprintf(w, "lane %q %q %q lost %d\n", l.Name, l.Kind, l.Device, t.Lost[i])
	}
	for _, s := range t.Sources {
		fmt.Fprintf(w, "source %d %q %q\n", s.ID, s.Name, s.Text)
	}
	for i, f := range t.Forms[1:] {
		fmt.Fprintf(w, "form %d %q %q %d:%d %q %q", i+1, f.Name, f.Kind, f.Where.Source, f.Where.Line, f.Shape, f.Program)
		if f.Parts != "" {
			fmt.Fprintf(w, " %q", f.Parts)
		}
		io.WriteString(w, "\n")
	}
	for i, l := range t.Labels[1:] {
		fmt.Fprintf(w, "label %d %q %d:%d", i+1, l.Name, l.Where.Source, l.Where.Line)
		if l.Detail != "" {
			fmt.Fprintf(w, " %q", l.Detail)
		}
		io.WriteString(w, "\n")
	}
}

func printRows(w io.Writer, ops []Op, tasks []Task, records []Record) {
	for _, o := range ops {
		fmt.Fprintf(w, "op o%d %d\n", o.ID, o.Form)
	}
	for _, k := range tasks {
		fmt.Fprintf(w, "task t%d %d", k.ID, k.Planned)
		for i, after := range k.After {
			if i == 0 {
				io.WriteString(w, " after")
			}
			fmt.Fprintf(w, " t%d", after)
		}
		io.WriteString(w, "\n")
	}
	var line []byte
	for i := range records {
		rec := &records[i]
		line = append(append(line[:0], "record "...), rec.Kind.String()...)
		line = strconv.AppendUint(append(line, ' '), uint64(rec.Lane), 10)
		line = strconv.AppendInt(append(line, ' '), rec.Start, 10)
		line = strconv.AppendInt(append(line, ' '), rec.End, 10)
		if rec.Bytes != 0 {
			line = strconv.AppendInt(append(line, " bytes "...), rec.Bytes, 10)
		}
		for _, number := range []struct {
			before string
			value  uint32
		}{{" t", rec.Task}, {" o", rec.Op}, {" label ", rec.Label}} {
			if number.value != 0 {
				line = strconv.AppendUint(append(line, number.before...), uint64(number.value), 10)
			}
		}
		w.Write(append(line, '\n'))
	}
}

func (t *Trace) printEnd(w io.Writer) {
	for _, x := range t.Texts {
		fmt.Fprintf(w, "text %q %q\n", x.Name, x.Body)
	}
	if t.Cut {
		io.WriteString(w, "cut\n")
	}
}

// Parse reads the text form and checks the trace.
func Parse(r io.Reader) (*Trace, error) {
	t := empty()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4*maxChunk)
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := t.parseLine(&words{rest: lines.Text()}); err != nil {
			return nil, fmt.Errorf("profiler: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("profiler: after line %d: %w", n, err)
	}
	t.sort()
	return t, t.Check()
}

func (t *Trace) parseLine(w *words) error {
	switch first := w.word(); first {
	case "trace":
		t.Epoch = w.number("", 64)
	case "machine":
		t.Machine = append(t.Machine, Field{w.quoted(), w.quoted()})
	case "lane":
		t.Lanes = append(t.Lanes, LaneInfo{w.quoted(), w.quoted(), w.quoted()})
		w.exactly("lost")
		t.Lost = append(t.Lost, uint64(w.number("", 64)))
	case "source":
		t.Sources = append(t.Sources, Source{uint32(w.number("", 32)), w.quoted(), w.quoted()})
	case "form":
		w.exactly(strconv.Itoa(len(t.Forms)))
		t.Forms = append(t.Forms, Form{w.quoted(), w.quoted(), w.where(), w.quoted(), w.quoted(), Parts(w.maybeQuoted())})
	case "label":
		w.exactly(strconv.Itoa(len(t.Labels)))
		t.Labels = append(t.Labels, Label{w.quoted(), w.where(), w.maybeQuoted()})
	case "op":
		t.Ops = append(t.Ops, Op{uint32(w.number("o", 32)), uint32(w.number("", 32))})
	case "task":
		t.Tasks = append(t.Tasks, w.task())
	case "record":
		t.Records = append(t.Records, w.record())
	case "text":
		t.Texts = append(t.Texts, Text{w.quoted(), w.quoted()})
	case "cut":
		t.Cut = true
	default:
		w.fail("a row of a trace", first)
	}
	if rest := strings.TrimSpace(w.rest); rest != "" {
		w.fail("the end of the line", rest)
	}
	return w.err
}

// words takes a line apart. The first error stays.
type words struct {
	rest string
	err  error
}

func (w *words) fail(want, got string) {
	if w.err == nil {
		w.err = fmt.Errorf("got %.40q, wanted %s", got, want)
	}
	w.rest = ""
}

func (w *words) word() string {
	w.rest = strings.TrimLeft(w.rest, " ")
	word, rest, _ := strings.Cut(w.rest, " ")
	w.rest = rest
	return word
}

func (w *words) exactly(want string) {
	if got := w.word(); got != want {
		w.fail(strconv.Quote(want), got)
	}
}

func (w *words) quoted() string {
	w.rest = strings.TrimLeft(w.rest, " ")
	quoted, err := strconv.QuotedPrefix(w.rest)
	if err != nil {
		w.fail("a text in double quotes", w.rest)
		return ""
	}
	w.rest = w.rest[len(quoted):]
	text, err := strconv.Unquote(quoted)
	if err != nil {
		w.fail("a text in double quotes", quoted)
	}
	return text
}

// maybeQuoted reads a text in double quotes where there is one.
func (w *words) maybeQuoted() string {
	if strings.TrimSpace(w.rest) == "" {
		return ""
	}
	return w.quoted()
}

func (w *words) task() Task {
	k := Task{ID: uint32(w.number("t", 32)), Planned: w.number("", 64)}
	if w.rest != "" {
		w.exactly("after")
	}
	for w.rest != "" {
		k.After = append(k.After, uint32(w.number("t", 32)))
	}
	return k
}

// number reads a number without a sign after a prefix. Numbers of 64 bits have 63.
func (w *words) number(prefix string, bits int) int64 {
	word := w.word()
	digits, found := strings.CutPrefix(word, prefix)
	v, err := strconv.ParseUint(digits, 10, min(bits, 63))
	if err != nil || !found {
		w.fail(fmt.Sprintf("%sN, a number of %d bits", prefix, min(bits, 63)), word)
	}
	return int64(v)
}

func (w *words) where() Where {
	word := w.word()
	source, line, _ := strings.Cut(word, ":")
	s, err1 := strconv.ParseUint(source, 10, 32)
	l, err2 := strconv.ParseUint(line, 10, 31)
	if err1 != nil || err2 != nil {
		w.fail("source:line", word)
	}
	return Where{uint32(s), int32(l)}
}

func (w *words) record() Record {
	rec := Record{Kind: w.kind()}
	rec.Lane = uint16(w.number("", 16))
	rec.Start, rec.End = w.number("", 64), w.number("", 64)
	for w.rest != "" {
		switch {
		case strings.HasPrefix(w.rest, "bytes "):
			w.word()
			rec.Bytes = w.number("", 64)
		case strings.HasPrefix(w.rest, "t"):
			rec.Task = uint32(w.number("t", 32))
		case strings.HasPrefix(w.rest, "o"):
			rec.Op = uint32(w.number("o", 32))
		default:
			w.exactly("label")
			rec.Label = uint32(w.number("", 32))
		}
	}
	return rec
}

func (w *words) kind() Kind {
	name := w.word()
	for k := range kinds {
		if kinds[k].Name == name {
			return Kind(k)
		}
	}
	w.fail("a kind of record", name)
	return 0
}
