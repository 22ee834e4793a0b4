package profiler

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxFile is the largest profile that is read, in bytes. The tables in memory are at most
// about four times as large as the file.
const MaxFile = 2 << 30

// ReadFile reads a .weftprof file.
func ReadFile(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profiler: %w", err)
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads a profile and checks all of it. A file that ends early gives the trace up to
// its last whole chunk, with Cut set; any other fault is an error.
func Read(r io.Reader) (*Trace, error) {
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("profiler: this is no .weftprof file: it does not begin with %q", magic)
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != version {
		return nil, fmt.Errorf("profiler: the file has version %d, this program reads version %d; use the weft that wrote it", v, version)
	}
	t := &Trace{Forms: []Form{{}}, Labels: []Label{{}}, Cut: true}
	at := int64(headerSize)
	for {
		tag, payload, err := readChunk(r)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err == nil && at+frameSize+int64(len(payload)) > MaxFile {
			err = fmt.Errorf("the file is longer than %d bytes", MaxFile)
		}
		if err == nil {
			err = t.addChunk(tag, payload)
		}
		if err != nil {
			return nil, fmt.Errorf("profiler: chunk %q at byte %d: %w", tag, at, err)
		}
		if at += frameSize + int64(len(payload)); tag == tagDone {
			t.Cut = false
			break
		}
	}
	for len(t.Lost) < len(t.Lanes) {
		t.Lost = append(t.Lost, 0)
	}
	t.sort()
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// readChunk returns io.EOF or io.ErrUnexpectedEOF for a chunk that is not all there.
func readChunk(r io.Reader) (tag string, payload []byte, err error) {
	var frame [frameSize]byte
	if _, err := io.ReadFull(r, frame[:]); err != nil {
		return "", nil, err
	}
	tag = string(frame[:4])
	n := binary.LittleEndian.Uint32(frame[4:])
	if n > maxChunk {
		return tag, nil, fmt.Errorf("it claims %d bytes, wanted at most %d", n, maxChunk)
	}
	// The buffer grows with what arrives, not with what the length promises.
	var buf bytes.Buffer
	if got, err := io.Copy(&buf, io.LimitReader(r, int64(n))); err != nil {
		return tag, nil, err
	} else if got < int64(n) {
		return tag, nil, io.ErrUnexpectedEOF
	}
	if got, want := checksum(tag, buf.Bytes()), binary.LittleEndian.Uint32(frame[8:]); got != want {
		return tag, nil, fmt.Errorf("its checksum is %08x, wanted %08x; the file is damaged", got, want)
	}
	return tag, buf.Bytes(), nil
}

var errShort = errors.New("a row goes beyond the end of the chunk")

// decoder takes a payload apart. The first error stays and empties the rest.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.rest, d.err = nil, errShort
		return make([]byte, min(n, 8))
	}
	p := d.rest[:n]
	d.rest = d.rest[n:]
	return p
}

func (d *decoder) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *decoder) str() string {
	n := d.u32()
	if uint64(n) > uint64(len(d.rest)) {
		d.rest, d.err = nil, errShort
		return ""
	}
	return string(d.take(int(n)))
}

func (d *decoder) where() Where { return Where{Source: d.u32(), Line: int32(d.u32())} }

// decodeRows adds the rows of a payload to a table.
func decodeRows[T any](d *decoder, rows *[]T, limit int, row func() T) error {
	for len(d.rest) > 0 && d.err == nil {
		if len(*rows) == limit {
			return fmt.Errorf("the table has more than %d rows", limit)
		}
		*rows = append(*rows, row())
	}
	return d.err
}

const noLimit = int(^uint(0) >> 1)

// addChunk adds what a chunk holds. Chunks with unknown tags are errors: the version says
// which ones there are.
func (t *Trace) addChunk(tag string, payload []byte) error {
	d := &decoder{rest: payload}
	switch tag {
	case tagMachine:
		t.Epoch = int64(d.u64())
		return decodeRows(d, &t.Machine, 1<<12, func() Field { return Field{d.str(), d.str()} })
	case tagLanes:
		return decodeRows(d, &t.Lanes, maxLanes, func() LaneInfo { return LaneInfo{d.str(), d.str(), d.str()} })
	case tagSources:
		return decodeRows(d, &t.Sources, noLimit, func() Source { return Source{d.u32(), d.str(), d.str()} })
	case tagForms:
		return decodeRows(d, &t.Forms, maxForms, func() Form { return Form{d.str(), d.str(), d.where(), d.str(), d.str()} })
	case tagLabels:
		return decodeRows(d, &t.Labels, maxLabels, func() Label { return Label{d.str(), d.where()} })
	case tagOps:
		return decodeRows(d, &t.Ops, noLimit, func() Op { return Op{d.u32(), d.u32()} })
	case tagRecords:
		if len(payload)%recordBytes != 0 {
			return errShort
		}
		return decodeRows(d, &t.Records, noLimit, func() Record {
			rec := Record{
				Start: int64(d.u64()), End: int64(d.u64()), Bytes: int64(d.u64()),
				Task: d.u32(), Op: d.u32(), Label: d.u32(),
			}
			last := d.u32()
			rec.Lane, rec.Kind = uint16(last), Kind(min(last>>16, 0xff))
			return rec
		})
	case tagLost:
		t.Lost = t.Lost[:0]
		if err := decodeRows(d, &t.Lost, maxLanes, d.u64); err != nil {
			return err
		}
		if len(t.Lost) > len(t.Lanes) {
			return fmt.Errorf("%d counts for %d lanes", len(t.Lost), len(t.Lanes))
		}
		return nil
	case tagTexts:
		return decodeRows(d, &t.Texts, noLimit, func() Text { return Text{d.str(), d.str()} })
	case tagDone:
		if len(payload) != 0 {
			return fmt.Errorf("it has %d bytes, wanted none", len(payload))
		}
		return nil
	}
	return errors.New("the tag is unknown")
}
