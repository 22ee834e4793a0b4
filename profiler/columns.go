package profiler

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// The tables that grow with the run are written as columns: how many rows there are, then all rows' first field,
// all rows' second field, and so on, as varints, mostly of differences. Neighbours are alike, so that most
// numbers take a byte or two, and deflating them gains once more.

func (e *encoder) uvarint(v uint64) { e.buf = binary.AppendUvarint(e.buf, v) }
func (e *encoder) varint(v int64)   { e.buf = binary.AppendVarint(e.buf, v) }

// column writes a field of all rows as the differences between neighbours.
func column[T any](e *encoder, rows []T, field func(*T) int64) {
	var last int64
	for i := range rows {
		v := field(&rows[i])
		e.varint(v - last)
		last = v
	}
}

// plain writes a field of all rows as it is.
func plain[T any](e *encoder, rows []T, field func(*T) uint64) {
	for i := range rows {
		e.uvarint(field(&rows[i]))
	}
}

// columns writes rows as chunks of at most chunkOfRows.
func columns[T any](e *encoder, tag string, rows []T, put func([]T)) {
	for part := range slices.Chunk(rows, chunkOfRows) {
		e.uvarint(uint64(len(part)))
		put(part)
		e.chunk(tag)
	}
}

func (e *encoder) ops(rows []Op) {
	columns(e, tagOps, rows, func(rows []Op) {
		column(e, rows, func(o *Op) int64 { return int64(o.ID) })
		column(e, rows, func(o *Op) int64 { return int64(o.Form) })
	})
}

func (e *encoder) tasks(rows []Task) {
	columns(e, tagTasks, rows, func(rows []Task) {
		column(e, rows, func(t *Task) int64 { return int64(t.ID) })
		column(e, rows, func(t *Task) int64 { return t.Planned })
		plain(e, rows, func(t *Task) uint64 { return uint64(len(t.After)) })
		for i := range rows {
			for _, after := range rows[i].After {
				e.varint(int64(rows[i].ID) - int64(after))
			}
		}
	})
}

func (e *encoder) records(rows []Record) {
	columns(e, tagRecords, rows, func(rows []Record) {
		plain(e, rows, func(r *Record) uint64 { return uint64(r.Lane) })
		plain(e, rows, func(r *Record) uint64 { return uint64(r.Kind) })
		column(e, rows, func(r *Record) int64 { return r.Start })
		plain(e, rows, func(r *Record) uint64 { return uint64(r.End - r.Start) })
		column(e, rows, func(r *Record) int64 { return r.Bytes })
		column(e, rows, func(r *Record) int64 { return int64(r.Task) })
		column(e, rows, func(r *Record) int64 { return int64(r.Op) })
		column(e, rows, func(r *Record) int64 { return int64(r.Label) })
	})
}

// uvarint and varint read one number. What is too long for 64 bits is an error.
func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.short()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.short()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// bounded reads a number below a limit.
func (d *decoder) bounded(v, limit uint64, what string) uint64 {
	if v >= limit && d.err == nil {
		d.rest, d.err = nil, fmt.Errorf("%s %d, wanted less than %d", what, v, limit)
	}
	if d.err != nil {
		return 0
	}
	return v
}

// rows begins columns: it returns as many empty rows as there are, each of which takes at least so many bytes.
func rows[T any](d *decoder, least int) []T {
	n := d.uvarint()
	d.bounded(n, maxRowsOfChunk+1, "rows")
	if d.err == nil && n > uint64(len(d.rest)/least) {
		d.short()
	}
	if d.err != nil {
		return nil
	}
	return make([]T, n)
}

// differences reads a column of differences; each value must be below a limit, and not negative.
func differences[T any](d *decoder, rows []T, limit uint64, what string, field func(*T, uint64)) {
	var last int64
	for i := range rows {
		last += d.varint()
		field(&rows[i], d.bounded(uint64(last), limit, what))
	}
}

func values[T any](d *decoder, rows []T, limit uint64, what string, field func(*T, uint64)) {
	for i := range rows {
		field(&rows[i], d.bounded(d.uvarint(), limit, what))
	}
}

// maxRowsOfChunk bounds the rows of a chunk of columns, since deflated zeros promise a lot.
const maxRowsOfChunk = 1 << 16

const (
	max32 = 1 << 32
	max63 = 1 << 63
)

func (d *decoder) ops() []Op {
	ops := rows[Op](d, 2)
	differences(d, ops, max32, "op", func(o *Op, v uint64) { o.ID = uint32(v) })
	differences(d, ops, max32, "form", func(o *Op, v uint64) { o.Form = uint32(v) })
	return ops
}

func (d *decoder) tasks() []Task {
	tasks := rows[Task](d, 3)
	differences(d, tasks, max32, "task", func(t *Task, v uint64) { t.ID = uint32(v) })
	differences(d, tasks, maxTime, "time", func(t *Task, v uint64) { t.Planned = int64(v) })
	counts := make([]uint64, len(tasks))
	for i := range counts {
		counts[i] = d.uvarint()
	}
	for i := range tasks {
		if counts[i] > uint64(len(d.rest)) { // each takes a byte or more
			d.short()
		}
		if d.err != nil {
			return nil
		}
		if counts[i] > 0 {
			tasks[i].After = make([]uint32, counts[i])
		}
		for k := range tasks[i].After {
			tasks[i].After[k] = uint32(d.bounded(uint64(int64(tasks[i].ID)-d.varint()), max32, "predecessor"))
		}
	}
	return tasks
}

func (d *decoder) records() []Record {
	recs := rows[Record](d, 8)
	values(d, recs, maxLanes, "lane", func(r *Record, v uint64) { r.Lane = uint16(v) })
	values(d, recs, 1<<8, "kind", func(r *Record, v uint64) { r.Kind = Kind(v) })
	differences(d, recs, maxTime, "start", func(r *Record, v uint64) { r.Start = int64(v) })
	values(d, recs, maxTime, "duration", func(r *Record, v uint64) { r.End = r.Start + int64(v) })
	differences(d, recs, max63, "size", func(r *Record, v uint64) { r.Bytes = int64(v) })
	differences(d, recs, max32, "task", func(r *Record, v uint64) { r.Task = uint32(v) })
	differences(d, recs, max32, "op", func(r *Record, v uint64) { r.Op = uint32(v) })
	differences(d, recs, max32, "label", func(r *Record, v uint64) { r.Label = uint32(v) })
	return recs
}
