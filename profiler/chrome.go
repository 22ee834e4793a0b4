package profiler

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// WriteChrome writes the Chrome JSON trace format, which Chrome's own viewer and Perfetto's open: complete events in
// microseconds on a thread for each track of a lane, arrows between tasks, and a counter for each memory.
func WriteChrome(w io.Writer, t *Trace) error {
	out := &chromeWriter{w: bufio.NewWriter(w)}
	out.raw(`{"displayTimeUnit":"ns","traceEvents":[`)
	out.event(chromeEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": "weft"}})
	l := layOut(t)
	thread := func(i int) int { return chromeProcess + l.number(&t.Records[i], i) }
	named := map[int]bool{}
	for i := range t.Records {
		rec := &t.Records[i]
		if tid := thread(i); !named[tid] {
			named[tid] = true
			out.event(chromeEvent{Name: "thread_name", Phase: "M", Thread: tid, Args: map[string]any{"name": l.name[rec.Lane]}})
			out.event(chromeEvent{Name: "thread_sort_index", Phase: "M", Thread: tid, Args: map[string]any{"sort_index": tid}})
		}
		out.bar(t, rec, thread(i), l.of[i] == noTrack)
	}
	list, _ := arrows(t)
	for n, a := range list {
		from, to := &t.Records[a.from], &t.Records[a.to]
		if from.Start == from.End || to.Start == to.End {
			continue // the format ties the ends of an arrow to bars by times, and these bars contain none
		}
		arrow := chromeEvent{Name: "waits for", Category: "dependence", ID: n + 1}
		begin, end := arrow, arrow
		begin.Phase, begin.Thread, begin.Start = "s", thread(a.from), micros(from.End-1)
		end.Phase, end.Thread, end.Start, end.Bind = "f", thread(a.to), micros(to.Start), "e"
		out.event(begin)
		out.event(end)
	}
	for lane, uses := range MemoryUse(t) {
		for _, use := range uses {
			out.event(chromeEvent{Name: t.Lanes[lane].Name + " in use", Phase: "C", Start: micros(use.At), Args: map[string]any{"bytes": use.Bytes}})
		}
	}
	out.raw("\n],\"otherData\":")
	out.value(map[string]string{"about": about(t)})
	out.raw("}\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

func micros(ns int64) float64 { return float64(ns) / 1e3 }

// chromeProcess is the process of all events. Its number is not 0 and no thread's: viewers that know of operating
// systems take these for the idle process and for the main thread.
const chromeProcess = 1

type chromeEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"` // e: an arrow's end belongs to the bar around it
	Start    float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

type chromeWriter struct {
	w   *bufio.Writer
	any bool
	err error
}

func (c *chromeWriter) raw(s string) {
	if c.err == nil {
		_, c.err = c.w.WriteString(s)
	}
}

func (c *chromeWriter) event(e chromeEvent) {
	if c.any {
		c.raw(",")
	}
	c.any = true
	c.raw("\n")
	e.Process = chromeProcess
	c.value(e)
}

// value writes JSON without numbers in place of <, > and &, which Perfetto does not read back.
func (c *chromeWriter) value(v any) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil && c.err == nil {
		c.err = err
	}
	c.raw(strings.TrimSuffix(text.String(), "\n"))
}

// bar writes a record. One for which there was no track keeps its length as a number.
func (c *chromeWriter) bar(t *Trace, rec *Record, thread int, crowded bool) {
	form, label := t.FormOf(rec.Op), &t.Labels[rec.Label]
	args := map[string]any{}
	set := func(key string, value any, there bool) {
		if there {
			args[key] = value
		}
	}
	set("task_id", "t"+strconv.Itoa(int(rec.Task)), rec.Task != 0)
	set("op", "o"+strconv.Itoa(int(rec.Op)), rec.Op != 0)
	set("bytes", rec.Bytes, rec.Bytes != 0)
	set("where", t.PlaceName(t.WhereOf(rec)), t.WhereOf(rec) != Where{})
	set("shape", form.Shape, form.Shape != "")
	set("detail", label.Detail, label.Detail != "")
	set("length_ns", rec.End-rec.Start, crowded)
	duration := micros(rec.End - rec.Start)
	if crowded {
		duration = 0
	}
	c.event(chromeEvent{
		Name: t.Name(rec), Category: rec.Kind.String(), Phase: "X", Thread: thread,
		Start: micros(rec.Start), Duration: &duration, Args: args,
	})
}
