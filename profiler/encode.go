package profiler

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// The layout of a .weftprof file; FORMAT.md describes it.
const (
	magic       = "weftprof"
	version     = 1
	headerSize  = len(magic) + 4
	frameSize   = 12       // tag, length, checksum
	maxChunk    = 40 << 20 // longest payload that a reader accepts
	splitChunk  = 1 << 20  // writers start a new chunk beyond this, where they can
	recordBytes = 40
)

// The tags of chunks.
const (
	tagMachine = "MACH"
	tagLanes   = "LANE"
	tagSources = "SRCS"
	tagForms   = "FORM"
	tagLabels  = "LABL"
	tagOps     = "OPS "
	tagRecords = "RECS"
	tagLost    = "LOST"
	tagTexts   = "TEXT"
	tagDone    = "DONE"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers tag and payload.
func checksum(tag string, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(tag), castagnoli), castagnoli, payload)
}

// encoder writes chunks. The first error stays.
type encoder struct {
	w   io.Writer
	buf []byte // payload of the chunk that is built
	err error
}

func (e *encoder) u32(v uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, v) }
func (e *encoder) u64(v uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, v) }

func (e *encoder) str(s string) {
	e.u32(uint32(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) where(w Where) {
	e.u32(w.Source)
	e.u32(uint32(w.Line))
}

func (e *encoder) header() {
	_, e.err = e.w.Write(binary.LittleEndian.AppendUint32([]byte(magic), version))
}

// chunk writes what has been built as one chunk. One Write call per chunk: a crash cuts the
// last chunk at most.
func (e *encoder) chunk(tag string) {
	if len(e.buf) > maxChunk && e.err == nil {
		e.err = fmt.Errorf("a %s chunk has %d bytes, wanted at most %d: a text is too long", tag, len(e.buf), maxChunk)
	}
	frame := make([]byte, 0, frameSize+len(e.buf))
	frame = append(frame, tag...)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(e.buf)))
	frame = binary.LittleEndian.AppendUint32(frame, checksum(tag, e.buf))
	frame = append(frame, e.buf...)
	e.buf = e.buf[:0]
	if e.err == nil {
		_, e.err = e.w.Write(frame)
	}
}

// table writes rows as chunks of about splitChunk bytes.
func table[T any](e *encoder, tag string, rows []T, put func(*T)) {
	for i := range rows {
		put(&rows[i])
		if len(e.buf) >= splitChunk || i+1 == len(rows) {
			e.chunk(tag)
		}
	}
}

func (e *encoder) machine(epoch int64, fields []Field) {
	e.u64(uint64(epoch))
	for _, f := range fields {
		e.str(f.Key)
		e.str(f.Value)
	}
	e.chunk(tagMachine)
}

func (e *encoder) lanes(rows []LaneInfo) {
	table(e, tagLanes, rows, func(l *LaneInfo) {
		e.str(l.Name)
		e.str(l.Kind)
		e.str(l.Device)
	})
}

func (e *encoder) sources(rows []Source) {
	table(e, tagSources, rows, func(s *Source) {
		e.u32(s.ID)
		e.str(s.Name)
		e.str(s.Text)
	})
}

func (e *encoder) forms(rows []Form) {
	table(e, tagForms, rows, func(f *Form) {
		e.str(f.Name)
		e.str(f.Kind)
		e.where(f.Where)
		e.str(f.Shape)
		e.str(f.Program)
	})
}

func (e *encoder) labels(rows []Label) {
	table(e, tagLabels, rows, func(l *Label) {
		e.str(l.Name)
		e.where(l.Where)
	})
}

func (e *encoder) ops(rows []Op) {
	table(e, tagOps, rows, func(o *Op) {
		e.u32(o.ID)
		e.u32(o.Form)
	})
}

func (e *encoder) records(rows []Record) {
	table(e, tagRecords, rows, func(rec *Record) {
		e.u64(uint64(rec.Start))
		e.u64(uint64(rec.End))
		e.u64(uint64(rec.Bytes))
		e.u32(rec.Task)
		e.u32(rec.Op)
		e.u32(rec.Label)
		e.u32(uint32(rec.Lane) | uint32(rec.Kind)<<16)
	})
}

func (e *encoder) lost(counts []uint64) {
	for _, n := range counts {
		e.u64(n)
	}
	e.chunk(tagLost)
}

func (e *encoder) texts(rows []Text) {
	table(e, tagTexts, rows, func(t *Text) {
		e.str(t.Name)
		e.str(t.Body)
	})
}
