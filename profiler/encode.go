package profiler

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// The layout of a .weftprof file; FORMAT.md describes it.
const (
	magic       = "weftprof"
	version     = 5
	headerSize  = len(magic) + 4
	frameSize   = 16       // tag, stored length, unpacked length, checksum
	maxChunk    = 40 << 20 // longest payload that a reader accepts, unpacked
	splitChunk  = 1 << 20  // writers start a new chunk beyond this, where they can
	chunkOfRows = 1 << 15  // rows of columns in a chunk
	leastPacked = 256      // shorter payloads are stored as they are
)

// The tags of chunks.
const (
	tagMachine = "MACH"
	tagLanes   = "LANE"
	tagSources = "SRCS"
	tagForms   = "FORM"
	tagLabels  = "LABL"
	tagOps     = "OPS "
	tagTasks   = "TASK"
	tagRecords = "RECS"
	tagLost    = "LOST"
	tagTexts   = "TEXT"
	tagDone    = "DONE"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers tag, lengths and the stored payload.
func checksum(head, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, payload)
}

// encoder writes chunks. The first error stays.
type encoder struct {
	w      io.Writer
	buf    []byte // payload of the chunk that is built
	packed bytes.Buffer
	zip    *flate.Writer
	frame  []byte
	err    error
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
	stored := e.pack(e.buf)
	e.frame = append(e.frame[:0], tag...)
	e.frame = binary.LittleEndian.AppendUint32(e.frame, uint32(len(stored)))
	e.frame = binary.LittleEndian.AppendUint32(e.frame, uint32(len(e.buf)))
	e.frame = binary.LittleEndian.AppendUint32(e.frame, checksum(e.frame, stored))
	e.frame = append(e.frame, stored...)
	e.buf = e.buf[:0]
	if e.err == nil {
		_, e.err = e.w.Write(e.frame)
	}
}

// pack returns what is stored of a payload: itself where deflating it gains nothing.
func (e *encoder) pack(payload []byte) []byte {
	if len(payload) < leastPacked || len(payload) > maxChunk {
		return payload
	}
	e.packed.Reset()
	if e.zip == nil {
		// Level 1 of 9: a running program pays for it, and the columns are small numbers already.
		e.zip, e.err = flate.NewWriter(&e.packed, flate.BestSpeed)
		if e.err != nil {
			return payload
		}
	} else {
		e.zip.Reset(&e.packed)
	}
	if _, err := e.zip.Write(payload); err != nil {
		e.err = err
	}
	if err := e.zip.Close(); err != nil {
		e.err = err
	}
	if e.packed.Len() >= len(payload) {
		return payload
	}
	return e.packed.Bytes()
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
		e.str(string(f.Parts))
	})
}

func (e *encoder) labels(rows []Label) {
	table(e, tagLabels, rows, func(l *Label) {
		e.str(l.Name)
		e.where(l.Where)
		e.str(l.Detail)
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
