package profiler

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// WriteChrome writes the Chrome JSON trace format, which Perfetto's viewer opens: one thread
// per lane, complete events in microseconds. Overlapping bars of one lane get further
// threads, because the format wants those of one thread nested.
func WriteChrome(w io.Writer, t *Trace) error {
	out := &chromeWriter{w: bufio.NewWriter(w)}
	out.raw(`{"displayTimeUnit":"ns","traceEvents":[`)
	rows := Rows(t)
	threads := map[[2]int]bool{}
	for i := range t.Records {
		rec := &t.Records[i]
		form := t.FormOf(rec.Op)
		tid := int(rec.Lane)*1000 + int(rows[i])
		if key := [2]int{int(rec.Lane), int(rows[i])}; !threads[key] {
			threads[key] = true
			name := t.Lanes[rec.Lane].Name
			if rows[i] > 0 {
				name += " +" + strconv.Itoa(int(rows[i]))
			}
			out.event(chromeEvent{Name: "thread_name", Phase: "M", Thread: tid, Args: map[string]any{"name": name}})
			out.event(chromeEvent{Name: "thread_sort_index", Phase: "M", Thread: tid, Args: map[string]any{"sort_index": tid}})
		}
		args := map[string]any{}
		set := func(key string, value any, there bool) {
			if there {
				args[key] = value
			}
		}
		set("task", "t"+strconv.Itoa(int(rec.Task)), rec.Task != 0)
		set("op", "o"+strconv.Itoa(int(rec.Op)), rec.Op != 0)
		set("bytes", rec.Bytes, rec.Bytes != 0)
		set("where", t.PlaceName(t.WhereOf(rec)), t.WhereOf(rec) != Where{})
		set("shape", form.Shape, form.Shape != "")
		duration := float64(rec.End-rec.Start) / 1e3
		out.event(chromeEvent{
			Name: t.Name(rec), Category: rec.Kind.String(), Phase: "X", Thread: tid,
			Start: float64(rec.Start) / 1e3, Duration: &duration, Args: args,
		})
	}
	out.raw("\n]}\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

type chromeEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
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
	text, err := json.Marshal(e)
	if err != nil && c.err == nil {
		c.err = err
	}
	c.raw(string(text))
}

// Rows returns for each record in which row of its lane it is drawn: the first one that is
// free when it starts, so that overlapping bars do not hide each other.
func Rows(t *Trace) []uint16 {
	rows := make([]uint16, len(t.Records))
	var ends []int64 // of the current lane's rows
	for i := range t.Records {
		rec := &t.Records[i]
		if i == 0 || t.Records[i-1].Lane != rec.Lane {
			ends = ends[:0]
		}
		row := 0
		for row < len(ends) && ends[row] > rec.Start {
			row++
		}
		if row == len(ends) && row < maxRows {
			ends = append(ends, 0)
		}
		row = min(row, maxRows-1)
		ends[row] = max(ends[row], rec.End)
		rows[i] = uint16(row)
	}
	return rows
}

// maxRows bounds the rows of one lane; what does not fit is drawn over the last one.
const maxRows = 64

// row is a record with its numbers resolved, for exports.
type row struct {
	Kind   string `json:"kind"`
	Lane   string `json:"lane"`
	Start  int64  `json:"start_ns"`
	End    int64  `json:"end_ns"`
	Bytes  int64  `json:"bytes"`
	Task   uint32 `json:"task"`
	Op     uint32 `json:"op"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Line   int32  `json:"line"`
	Shape  string `json:"shape"`
}

func (t *Trace) row(rec *Record) row {
	where := t.WhereOf(rec)
	return row{
		Kind: rec.Kind.String(), Lane: t.Lanes[rec.Lane].Name, Start: rec.Start, End: rec.End, Bytes: rec.Bytes,
		Task: rec.Task, Op: rec.Op, Name: t.Name(rec), Source: t.SourceName(where.Source), Line: where.Line,
		Shape: t.FormOf(rec.Op).Shape,
	}
}

// WriteCSV writes one line per record, under a line of column names.
func WriteCSV(w io.Writer, t *Trace) error {
	out := csv.NewWriter(w)
	out.Write([]string{"kind", "lane", "start_ns", "end_ns", "bytes", "task", "op", "name", "source", "line", "shape"})
	for i := range t.Records {
		r := t.row(&t.Records[i])
		out.Write([]string{
			r.Kind, r.Lane, strconv.FormatInt(r.Start, 10), strconv.FormatInt(r.End, 10), strconv.FormatInt(r.Bytes, 10),
			strconv.Itoa(int(r.Task)), strconv.Itoa(int(r.Op)), r.Name, r.Source, strconv.Itoa(int(r.Line)), r.Shape,
		})
	}
	out.Flush()
	return out.Error() // the first error of any Write
}

// WriteJSON writes the whole trace as one JSON object, records by name.
func WriteJSON(w io.Writer, t *Trace) error {
	records := make([]row, len(t.Records))
	for i := range t.Records {
		records[i] = t.row(&t.Records[i])
	}
	out := json.NewEncoder(w)
	if err := out.Encode(map[string]any{
		"epoch_ns": t.Epoch, "machine": t.Machine, "lanes": t.Lanes, "lost": t.Lost, "sources": t.Sources,
		"forms": t.Forms, "ops": t.Ops, "labels": t.Labels, "tasks": t.Tasks, "texts": t.Texts, "cut": t.Cut, "records": records,
	}); err != nil {
		return fmt.Errorf("profiler: %w", err)
	}
	return nil
}
