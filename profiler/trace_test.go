package profiler

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"weft/internal/datadriven"
)

// TestTraces runs commands over the trace that the last format command has read.
func TestTraces(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		var current *Trace
		return func(t *testing.T, c *datadriven.Case) string {
			var out bytes.Buffer
			var err error
			switch c.Cmd {
			case "format":
				var trace *Trace
				if trace, err = Parse(strings.NewReader(c.Input)); err == nil {
					current = trace
					out.WriteString(trace.String())
				}
			case "summary":
				out.WriteString(Summarize(current).String())
			case "validate":
				for _, v := range Validate(current) {
					fmt.Fprintf(&out, "%s: %s\n", v.Rule, v.Text)
				}
			case "chrome":
				err = WriteChrome(&out, current)
			case "perfetto":
				var written bytes.Buffer
				err = WritePerfetto(&written, current)
				out.WriteString(decodePerfetto(t, written.Bytes()))
			case "csv":
				err = WriteCSV(&out, current)
			case "json":
				err = WriteJSON(&out, current)
			case "between":
				out.WriteString(current.Between(int64(c.Int("from", 0)), int64(c.Int("to", 0))).String())
			default:
				t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
			}
			if err != nil {
				return "error: " + err.Error()
			}
			return out.String()
		}
	})
}

// sample is a trace with something in every table.
func sample(t testing.TB) *Trace {
	trace, err := Parse(strings.NewReader(`trace 1000
machine "cpus" "2"
lane "cpu0" "cpu" "d0" lost 0
lane "program" "program" "" lost 7
source 1 "In [1]" "b = a + 1\n"
form 1 "add" "map" 1:1 "(10)" "program add"
label 1 "\xff odd \u2713" 1:2 "gpu0 to gpu1"
op o3 1
task t1 3 after t4294967295 t0
task t2 0
record run 0 5 9 bytes 80 t1 o3
record cell 1 0 20 label 1
text "graph" "digraph {}"
`))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestFileRoundTrip(t *testing.T) {
	for _, cut := range []bool{false, true} {
		want := sample(t)
		want.Cut = cut
		var file bytes.Buffer
		if err := Write(&file, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the file gave back\n%swanted\n%s", got.String(), want.String())
		}
		again, err := Parse(strings.NewReader(want.String()))
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("the text form gave back (%v)\n%swanted\n%s", err, again.String(), want.String())
		}
	}
}

// A file that ends anywhere gives what came before, and never an error or a panic.
func TestCutFile(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, sample(t)); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	most := 0
	for n := headerSize; n < len(whole); n++ {
		got, err := Read(bytes.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
		}
		if !got.Cut || len(got.Records) < most {
			t.Fatalf("cut at %d of %d: Cut is %v, %d records after %d", n, len(whole), got.Cut, len(got.Records), most)
		}
		most = len(got.Records)
	}
	if most != 2 {
		t.Errorf("the longest cut file has %d records, wanted 2", most)
	}
}

// Every changed byte is noticed: by the magic, the version, a length or a checksum. A changed length may
// make the rest unreadable, which looks like a file that ends early.
func TestDamagedFile(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, sample(t)); err != nil {
		t.Fatal(err)
	}
	for i := range file.Len() {
		bad := bytes.Clone(file.Bytes())
		bad[i] ^= 0x10
		if got, err := Read(bytes.NewReader(bad)); err == nil && !got.Cut {
			t.Errorf("byte %d changed: nobody noticed", i)
		}
	}
}

func TestReadErrors(t *testing.T) {
	chunkOf := func(tag string, build func(e *encoder)) func() []byte {
		return func() []byte {
			var file bytes.Buffer
			e := &encoder{w: &file}
			e.header()
			build(e)
			if tag != "" {
				e.chunk(tag)
			}
			return file.Bytes()
		}
	}
	for _, c := range []struct {
		file func() []byte
		want string
	}{
		{func() []byte { return nil }, "no .weftprof file"},
		{func() []byte { return []byte("something else") }, "no .weftprof file"},
		{func() []byte { return []byte("weftprof\x06\x00\x00\x00") }, "has version 6, this program reads version 5"},
		{chunkOf("WHAT", func(*encoder) {}), "the tag is unknown"},
		{chunkOf(tagDone, func(e *encoder) { e.u32(1) }), "4 bytes are left behind its last row"},
		{chunkOf(tagOps, func(e *encoder) { e.uvarint(2); e.uvarint(1) }), "beyond the end of the chunk"},
		{chunkOf(tagOps, func(e *encoder) { e.uvarint(1 << 40) }), "rows 1099511627776, wanted less than 65537"},
		{chunkOf(tagOps, func(e *encoder) { e.uvarint(1); e.varint(-1); e.varint(0) }), "op 18446744073709551615, wanted less than 4294967296"},
		{chunkOf(tagOps, func(e *encoder) { e.uvarint(1); e.varint(1); e.varint(0); e.varint(0) }), "1 bytes are left"},
		{chunkOf(tagTasks, func(e *encoder) { e.uvarint(1); e.varint(1); e.varint(1); e.uvarint(1 << 50) }), "beyond the end of the chunk"},
		{chunkOf(tagTasks, func(e *encoder) { e.uvarint(1); e.varint(1); e.varint(1); e.uvarint(1); e.varint(2) }), "predecessor 18446744073709551615"},
		{chunkOf(tagLanes, func(e *encoder) { e.u32(1 << 31) }), "beyond the end of the chunk"},
		{chunkOf(tagRecords, func(e *encoder) { e.uvarint(1); e.u32(1) }), "beyond the end of the chunk"},
		{chunkOf(tagLost, func(e *encoder) { e.u64(1) }), "1 counts for 0 lanes"},
		{chunkOf("", func(e *encoder) { e.ops([]Op{{1, 1}}) }), "o1 has form 1, but there are 1 forms"},
		{chunkOf("", func(e *encoder) { e.records([]Record{{}}) }), "lane 0, but there are 0 lanes"},
		{chunkOf("", func(e *encoder) { e.records([]Record{{Kind: 99}}) }), "kind 99 is unknown"},
		{chunkOf("", func(e *encoder) {
			e.lanes([]LaneInfo{{}})
			e.records([]Record{{Start: -1}})
		}), "start 18446744073709551615, wanted less than"},
		{chunkOf("", func(e *encoder) {
			e.lanes([]LaneInfo{{}})
			e.records([]Record{{Start: maxTime - 1, End: maxTime}})
		}), "wanted 0 <= start"},
		{func() []byte {
			var file bytes.Buffer
			e := &encoder{w: &file}
			e.header()
			e.texts([]Text{{"a", strings.Repeat("b", 1000)}})
			bad := file.Bytes()
			at := headerSize
			bad[at+8]++ // the unpacked length
			binary.LittleEndian.PutUint32(bad[at+12:], checksum(bad[at:at+12], bad[at+frameSize:]))
			return bad
		}, "does not unpack to the"},
		{func() []byte { // it is not what deflate writes
			head := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32([]byte("TEXT"), 4), 100)
			head = binary.LittleEndian.AppendUint32(head, checksum(head, []byte("abcd")))
			return append(append(append([]byte(magic), version, 0, 0, 0), head...), "abcd"...)
		}, "cannot be unpacked"},
	} {
		if _, err := Read(bytes.NewReader(c.file())); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, wanted %q", err, c.want)
		}
	}
}

// A chunk that promises 40 MiB and brings nothing must not cost 40 MiB.
func TestBoundedMemory(t *testing.T) {
	file := []byte("weftprof\x03\x00\x00\x00RECS\x00\x00\x80\x02\x00\x00\x80\x02\x00\x00\x00\x00")
	bytesPerRead := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := Read(bytes.NewReader(file)); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if bytesPerRead > 1<<16 {
		t.Errorf("reading %d bytes allocates %d bytes", len(file), bytesPerRead)
	}
}

func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	if err := Write(&file, sample(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, trace); err != nil {
			t.Fatalf("a trace that was read cannot be written: %v", err)
		}
		if _, err := Read(&again); err != nil {
			t.Fatalf("a trace that was written cannot be read: %v", err)
		}
		useAll(t, trace)
	})
}

func FuzzParse(f *testing.F) {
	f.Add(sample(f).String())
	f.Add("lane \"a\" \"\" \"\" lost 0\nrecord run 0 1 2 label 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := Parse(strings.NewReader(trace.String()))
		if err != nil || again.String() != trace.String() {
			t.Fatalf("%q does not round-trip: %v", trace.String(), err)
		}
		useAll(t, trace)
	})
}

// useAll calls everything that relies on Check.
func useAll(t *testing.T, trace *Trace) {
	_ = Summarize(trace).String()
	Validate(trace)
	var out bytes.Buffer
	if err := WriteChrome(&out, trace); err != nil {
		t.Fatal(err)
	}
	if err := WritePerfetto(&out, trace); err != nil {
		t.Fatal(err)
	}
	if err := WriteCSV(&out, trace); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&out, trace); err != nil {
		t.Fatal(err)
	}
}
