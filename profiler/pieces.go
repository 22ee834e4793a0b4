package profiler

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
)

// A profile may be longer than memory should hold. What follows reads it chunk by chunk, more than once where need be,
// and keeps its tables only.

// long reports whether a chunk is one of those of which there are as many as the run is long.
func long(tag string) bool { return tag == tagOps || tag == tagTasks || tag == tagRecords }

// readPieces reads the chunks of a file that are not passed over.
func readPieces(path string, over func(tag string) bool, see func(*Increment) error) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profiler: %w", err)
	}
	defer f.Close()
	r, err := NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.over = over
	var inc Increment
	for {
		if err := r.Next(&inc); err == io.EOF {
			return r, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := see(&inc); err != nil {
			return nil, err
		}
	}
}

// ReadTables reads a profile without its ops, tasks and records, of which it does not know either whether they are
// damaged.
func ReadTables(path string) (*Trace, error) {
	t := empty()
	r, err := readPieces(path, long, func(inc *Increment) error {
		t.add(inc)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.Epoch, t.Machine, t.Cut = r.Epoch, r.Machine, r.Cut
	t.finish()
	return t, t.Check()
}

// ReadTexts reads the documents of a profile. What lies between them is not read: they stand at the end of a long file.
func ReadTexts(path string) ([]Text, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profiler: %w", err)
	}
	defer f.Close()
	t := empty()
	kept := Reader{Memory: DefaultMemory}
	for at := int64(headerSize); ; {
		var frame [frameSize]byte
		if n, err := f.ReadAt(frame[:], at); n < frameSize {
			if err == io.EOF {
				break
			}
			return nil, fmt.Errorf("profiler: %w", err)
		}
		stored := int64(binary.LittleEndian.Uint32(frame[4:]))
		if string(frame[:4]) == tagTexts {
			_, _, payload, err := readChunk(io.NewSectionReader(f, at, frameSize+stored), nil)
			if err == io.ErrUnexpectedEOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("profiler: %s: chunk %q at byte %d: %w", path, tagTexts, at, err)
			}
			inc := Increment{}
			err = (&Reader{}).chunk(tagTexts, payload, &inc)
			if err == nil {
				err = kept.keepChunk(tagTexts, payload, &inc)
			}
			if err != nil {
				return nil, fmt.Errorf("profiler: %s: chunk %q at byte %d: %w", path, tagTexts, at, err)
			}
			t.add(&inc)
		}
		at += frameSize + stored
	}
	t.finish()
	return t.Texts, nil
}

// recentOps knows the forms of the newest ops, as many as records that follow them may name.
type recentOps struct{ now, before map[uint32]uint32 }

// keptOps is how many ops each half has.
const keptOps = 4 * maxOps

func (x *recentOps) add(ops []Op) {
	for _, op := range ops {
		if x.now == nil || len(x.now) >= keptOps {
			x.before, x.now = x.now, map[uint32]uint32{}
		}
		x.now[op.ID] = op.Form
	}
}

func (x *recentOps) form(op uint32) (form uint32, known bool) {
	if form, known = x.now[op]; !known {
		form, known = x.before[op]
	}
	return form, known
}

// of returns the ops that some records name, as a trace's table.
func (x *recentOps) of(records []Record) []Op {
	var ops []Op
	var last uint32
	for i := range records {
		if id := records[i].Op; id != last {
			last = id
			if form, known := x.form(id); known {
				ops = append(ops, Op{id, form})
			}
		}
	}
	slices.SortFunc(ops, func(a, b Op) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(ops)
}

// WriteCSVOf writes a file as WriteCSV does, its records in the order in which they were recorded.
func WriteCSVOf(w io.Writer, path string) error {
	t, err := ReadTables(path)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Write(csvColumns)
	var ops recentOps
	_, err = readPieces(path, func(tag string) bool { return tag == tagTasks || tag == tagTexts }, func(inc *Increment) error {
		ops.add(inc.Ops)
		t.Ops, t.Records = ops.of(inc.Records), inc.Records
		t.csv(out)
		return out.Error()
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// WriteTextOf writes a file's text form, its ops, tasks and records in the order in which they were recorded. Parse
// reads it.
func WriteTextOf(w io.Writer, path string) error {
	t, err := ReadTables(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	t.printTables(out)
	_, err = readPieces(path, func(tag string) bool { return tag == tagTexts }, func(inc *Increment) error {
		printRows(out, inc.Ops, inc.Tasks, inc.Records)
		_, err := out.Write(nil) // the first error stays
		return err
	})
	if err != nil {
		return err
	}
	t.printEnd(out)
	return out.Flush()
}
