package profiler

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

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

// csvColumns are the names of the columns.
var csvColumns = []string{"kind", "lane", "start_ns", "end_ns", "bytes", "task", "op", "name", "source", "line", "shape"}

// WriteCSV writes one line per record, under a line of column names.
func WriteCSV(w io.Writer, t *Trace) error {
	out := csv.NewWriter(w)
	out.Write(csvColumns)
	t.csv(out)
	out.Flush()
	return out.Error() // the first error of any Write
}

func (t *Trace) csv(out *csv.Writer) {
	for i := range t.Records {
		r := t.row(&t.Records[i])
		out.Write([]string{
			r.Kind, r.Lane, strconv.FormatInt(r.Start, 10), strconv.FormatInt(r.End, 10), strconv.FormatInt(r.Bytes, 10),
			strconv.Itoa(int(r.Task)), strconv.Itoa(int(r.Op)), r.Name, r.Source, strconv.Itoa(int(r.Line)), r.Shape,
		})
	}
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
