package profiler

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// Bounds of the profiles that are read, in bytes: of the file, and of what comes of it in memory where no other bound
// is given. A file may unpack to a thousand times its length.
const (
	MaxFile       = 2 << 30
	DefaultMemory = 1 << 30
)

// What a row of a table takes in memory besides its bytes in the file, at most.
const rowSize = 128

var recordSize = int64(unsafe.Sizeof(Record{}))

// ReadFile reads a .weftprof file that takes at most DefaultMemory.
func ReadFile(path string) (*Trace, error) { return ReadFileWithin(path, DefaultMemory) }

// ReadFileWithin reads a .weftprof file that takes at most so many bytes in memory.
func ReadFileWithin(path string, memory int64) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profiler: %w", err)
	}
	defer f.Close()
	t, err := read(f, memory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads a profile and checks all of it. A file that ends early gives the trace up to
// its last whole chunk, with Cut set; any other fault is an error.
func Read(r io.Reader) (*Trace, error) { return read(r, DefaultMemory) }

func read(r io.Reader, memory int64) (*Trace, error) {
	file, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	file.Memory = memory
	t := empty()
	var inc Increment
	for err == nil {
		at := file.at
		if err = file.Next(&inc); err == nil {
			err = file.keep(int64(len(inc.Records)) * recordSize)
		}
		if err == nil {
			t.add(&inc)
		} else if errors.As(err, new(tooMuch)) {
			err = fmt.Errorf("profiler: chunk at byte %d: %w; weft view --memory shows it piece by piece, and weft export writes it as --text or --csv", at, err)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	t.Epoch, t.Machine, t.Cut = file.Epoch, file.Machine, file.Cut
	t.finish()
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// Reader reads a profile chunk by chunk, so that it can be shown before all of it is read. What it returns is
// checked: the numbers in it name rows that came before.
type Reader struct {
	Epoch   int64   // of the trace, once the first chunk is read
	Machine []Field // likewise
	Cut     bool    // the file ended in the middle of a chunk, or without its mark; set at the end
	Memory  int64   // bytes that the tables of the file may take, all but its records; DefaultMemory if nothing else is set

	kept int64 // bytes of Memory that are taken

	r                    io.Reader
	over                 func(tag string) bool // chunks of which the payload is passed over; nil is none
	at                   int64                 // bytes that were read
	lanes, forms, labels int
	done                 bool
}

// NewReader reads the file's head.
func NewReader(r io.Reader) (*Reader, error) {
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("profiler: this is no .weftprof file: it does not begin with %q", magic)
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != version {
		return nil, fmt.Errorf("profiler: the file has version %d, this program reads version %d; use the weft that wrote it", v, version)
	}
	return &Reader{r: r, Memory: DefaultMemory, at: int64(headerSize), forms: 1, labels: 1}, nil
}

// tooMuch is the error of a file that takes more memory than it may.
type tooMuch struct{ memory int64 }

func (e tooMuch) Error() string {
	return fmt.Sprintf("what the file unpacks to takes more than %d MB", e.memory/1_000_000)
}

// keep books n bytes.
func (f *Reader) keep(n int64) error {
	if f.kept += n; f.kept > f.Memory {
		return tooMuch{f.Memory}
	}
	return nil
}

// keepChunk books what a chunk adds to the tables.
func (f *Reader) keepChunk(tag string, payload []byte, inc *Increment) error {
	if tag == tagRecords {
		return nil // who reads decides what becomes of them
	}
	rows := len(inc.Lanes) + len(inc.Sources) + len(inc.Forms) + len(inc.Ops) + len(inc.Labels) + len(inc.Tasks) + len(inc.Texts)
	for _, task := range inc.Tasks {
		rows += len(task.After) / 8
	}
	return f.keep(int64(len(payload)) + int64(rows)*rowSize)
}

// Bytes returns how much of the file was read.
func (f *Reader) Bytes() int64 { return f.at }

// Next reads a chunk. It returns io.EOF at the end of the file, whether cut or not.
func (f *Reader) Next(inc *Increment) error {
	*inc = Increment{}
	if f.done {
		return io.EOF
	}
	tag, stored, payload, err := readChunk(f.r, f.over)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		f.done, f.Cut = true, true
		return io.EOF
	}
	if err == nil && f.at+frameSize+int64(stored) > MaxFile {
		err = fmt.Errorf("the file is longer than %d bytes", MaxFile)
	}
	if err == nil && (f.over == nil || !f.over(tag)) {
		if err = f.chunk(tag, payload, inc); err == nil {
			err = f.keepChunk(tag, payload, inc)
		}
	}
	if err != nil {
		f.done = true
		return fmt.Errorf("profiler: chunk %q at byte %d: %w", tag, f.at, err)
	}
	f.at += frameSize + int64(stored)
	if f.done {
		return io.EOF
	}
	return nil
}

// readChunk returns the payload and how many bytes of the file it took; io.EOF or io.ErrUnexpectedEOF for a
// chunk that is not all there. Of those that are passed over it returns no payload.
func readChunk(r io.Reader, over func(tag string) bool) (tag string, stored int, payload []byte, err error) {
	var frame [frameSize]byte
	if _, err := io.ReadFull(r, frame[:]); err != nil {
		return "", 0, nil, err
	}
	tag = string(frame[:4])
	n, unpacked := binary.LittleEndian.Uint32(frame[4:]), binary.LittleEndian.Uint32(frame[8:])
	if n > maxChunk || unpacked > maxChunk || n > unpacked {
		return tag, 0, nil, fmt.Errorf("it claims %d bytes, %d unpacked, wanted at most %d, and not more than unpacked", n, unpacked, maxChunk)
	}
	if over != nil && over(tag) {
		_, err := io.CopyN(io.Discard, r, int64(n))
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return tag, int(n), nil, err
	}
	// The buffer grows with what arrives, not with what the length promises.
	var buf bytes.Buffer
	if got, err := io.Copy(&buf, io.LimitReader(r, int64(n))); err != nil {
		return tag, 0, nil, err
	} else if got < int64(n) {
		return tag, 0, nil, io.ErrUnexpectedEOF
	}
	if got, want := checksum(frame[:12], buf.Bytes()), binary.LittleEndian.Uint32(frame[12:]); got != want {
		return tag, 0, nil, fmt.Errorf("its checksum is %08x, wanted %08x; the file is damaged", got, want)
	}
	if n == unpacked {
		return tag, int(n), buf.Bytes(), nil
	}
	var whole bytes.Buffer
	if _, err := io.Copy(&whole, io.LimitReader(flate.NewReader(&buf), int64(unpacked)+1)); err != nil {
		return tag, 0, nil, fmt.Errorf("it cannot be unpacked: %v", err) // an early end is no end of the file
	}
	if whole.Len() != int(unpacked) {
		return tag, 0, nil, fmt.Errorf("it does not unpack to the %d bytes that it claims", unpacked)
	}
	return tag, int(n), whole.Bytes(), nil
}

var errShort = errors.New("a row goes beyond the end of the chunk")

// decoder takes a payload apart. The first error stays and empties the rest.
type decoder struct {
	rest []byte
	err  error
}

// short says that there is not enough left, if that is the first error.
func (d *decoder) short() {
	if d.rest = nil; d.err == nil {
		d.err = errShort
	}
}

func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.short()
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
		d.short()
		return ""
	}
	return string(d.take(int(n)))
}

func (d *decoder) where() Where { return Where{Source: d.u32(), Line: int32(d.u32())} }

// table reads the rows of a payload. The table that they belong to may have only so many.
func (d *decoder) table(before, limit int, row func()) error {
	for n := before; len(d.rest) > 0 && d.err == nil; n++ {
		if n == limit {
			return fmt.Errorf("the table has more than %d rows", limit)
		}
		row()
	}
	return d.err
}

// chunk takes a payload apart. Unknown tags are errors: the version says which ones there are.
func (f *Reader) chunk(tag string, payload []byte, inc *Increment) error {
	d := &decoder{rest: payload}
	var err error
	switch tag {
	case tagMachine:
		f.Epoch = int64(d.u64())
		err = d.table(len(f.Machine), 1<<12, func() { f.Machine = append(f.Machine, Field{d.str(), d.str()}) })
	case tagLanes:
		err = d.table(f.lanes, maxLanes, func() { inc.Lanes = append(inc.Lanes, LaneInfo{d.str(), d.str(), d.str()}) })
	case tagSources:
		err = d.table(0, noLimit, func() { inc.Sources = append(inc.Sources, Source{d.u32(), d.str(), d.str()}) })
	case tagForms:
		err = d.table(f.forms, maxForms, func() {
			inc.Forms = append(inc.Forms, Form{d.str(), d.str(), d.where(), d.str(), d.str(), Parts(d.str())})
		})
	case tagLabels:
		err = d.table(f.labels, maxLabels, func() { inc.Labels = append(inc.Labels, Label{d.str(), d.where(), d.str()}) })
	case tagOps:
		inc.Ops = d.ops()
	case tagTasks:
		inc.Tasks = d.tasks()
	case tagRecords:
		inc.Records = d.records()
	case tagLost:
		inc.Lost = []uint64{}
		err = d.table(0, maxLanes, func() { inc.Lost = append(inc.Lost, d.u64()) })
		if err == nil && len(inc.Lost) > f.lanes {
			err = fmt.Errorf("%d counts for %d lanes", len(inc.Lost), f.lanes)
		}
	case tagTexts:
		err = d.table(0, noLimit, func() { inc.Texts = append(inc.Texts, Text{d.str(), d.str()}) })
	case tagDone:
		f.done = true
	default:
		return errors.New("the tag is unknown")
	}
	switch {
	case err != nil:
		return err
	case d.err != nil:
		return d.err
	case len(d.rest) > 0:
		return fmt.Errorf("%d bytes are left behind its last row", len(d.rest))
	}
	f.lanes, f.forms, f.labels = f.lanes+len(inc.Lanes), f.forms+len(inc.Forms), f.labels+len(inc.Labels)
	return f.check(inc)
}

const noLimit = int(^uint(0) >> 1)

// check finds numbers that name rows which have not come.
func (f *Reader) check(inc *Increment) error {
	for _, o := range inc.Ops {
		if int(o.Form) >= f.forms {
			return fmt.Errorf("o%d has form %d, but there are %d forms", o.ID, o.Form, f.forms)
		}
	}
	for i := range inc.Records {
		if err := inc.Records[i].check(f.lanes, f.labels); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}
