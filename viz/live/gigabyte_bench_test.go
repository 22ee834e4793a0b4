package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// longRun makes up a run as a recorder would tell of it, for a profile that is longer than memory should hold:
// operations in tiles on processors of two nodes, which wait for the tiles that they read; halos that are copied;
// memory that is taken and given back; a program that plans, waits and runs cells.
type longRun struct {
	r         *rand.Rand
	rec       *profiler.Recorder
	cpus      []*profiler.Lane
	copies    []*profiler.Lane
	memories  []*profiler.Lane
	program   *profiler.Lane
	forms     []uint32
	mean      []int64 // nanoseconds of a task of each form
	halo      []uint32
	cell      []uint32
	free      []int64  // when each processor, then each channel, is free again
	ends      []int64  // of the newest task of each tile
	tiles     []uint32 // and its number
	task, op  uint32
	cellSince int64
	records   int
}

const longCPUs, longChannels, longMemories, longForms, longLines = 48, 6, 2, 60, 40

func newLongRun() *longRun {
	g := &longRun{r: rand.New(rand.NewPCG(10, 10)), rec: profiler.New(profiler.Options{PerLane: 1 << 14})}
	lane := func(name, kind, device string) *profiler.Lane {
		return g.rec.Lane(profiler.LaneInfo{Name: name, Kind: kind, Device: device})
	}
	text := ""
	for line := range longLines {
		text += fmt.Sprintf("x%d = np.sqrt(x%d[1:-1] * %d.5 + x%d[2:])\n", line, line/2, line, line/3)
	}
	for cell := range uint32(8) {
		g.rec.Source(profiler.Source{ID: cell + 1, Name: fmt.Sprintf("In [%d]", cell+1), Text: text})
		g.cell = append(g.cell, g.rec.Label(profiler.Label{Name: fmt.Sprintf("In [%d]", cell+1), Where: profiler.Where{Source: cell + 1}}))
	}
	for form := range longForms {
		where := profiler.Where{Source: uint32(form%8 + 1), Line: int32(form%longLines + 1)}
		kind := []string{"map", "map", "reduce", "matmul"}[form%4]
		g.forms = append(g.forms, g.rec.Form(profiler.Form{Name: fmt.Sprint(kind, form), Kind: kind, Where: where, Shape: "(8000,8000)", Program: fmt.Sprintf("program %s of form %d", kind, form)}))
		g.mean = append(g.mean, int64(8e3)<<g.r.IntN(5))
	}
	g.program = lane("program", "program", "")
	for i := range longCPUs {
		g.cpus = append(g.cpus, lane(fmt.Sprint("cpu", i), "cpu", fmt.Sprint("node", i*2/longCPUs)))
	}
	for i := range longChannels {
		g.copies = append(g.copies, lane(fmt.Sprint("channel", i), "copy", fmt.Sprint("node", i%2)))
		g.halo = append(g.halo, g.rec.Label(profiler.Label{Name: "halo", Detail: fmt.Sprintf("node%d to node%d", i%2, 1-i%2)}))
	}
	for i := range longMemories {
		g.memories = append(g.memories, lane(fmt.Sprintf("node%d memory", i), "memory", fmt.Sprint("node", i)))
	}
	g.free, g.ends, g.tiles = make([]int64, longCPUs+longChannels), make([]int64, longCPUs), make([]uint32, longCPUs)
	return g
}

func (g *longRun) record(l *profiler.Lane, rec profiler.Record) {
	l.Record(rec)
	g.records++
}

// work runs a task on a processor or channel when that is free and what it waits for has ended, and returns its end.
func (g *longRun) work(l *profiler.Lane, at int, kind profiler.Kind, label uint32, ready, mean, planned int64, after []uint32) int64 {
	g.task++
	g.rec.Task(g.task, planned, after)
	start := max(g.free[at], ready, planned) + 150 + g.r.Int64N(1+mean/10)
	took := mean/2 + g.r.Int64N(mean)
	if g.r.IntN(400) == 0 {
		took *= 5 + g.r.Int64N(40) // another process had the processor
	}
	g.record(l, profiler.Record{Kind: kind, Task: g.task, Op: g.op, Label: label, Start: start, End: start + took, Bytes: 8 * (took + g.r.Int64N(took+1))})
	g.free[at] = start + took
	return start + took
}

// operation runs one operation in tiles.
func (g *longRun) operation() {
	g.op++
	form := g.r.IntN(longForms)
	g.rec.Op(g.op, g.forms[form])
	planned := max(g.free[0]-g.r.Int64N(3e5), 0)
	tiles, ends := make([]uint32, longCPUs), make([]int64, longCPUs)
	reach := g.r.IntN(3) // how far an operation reads into its neighbours
	for tile := range longCPUs {
		var after []uint32
		var ready int64
		for near := max(tile-reach, 0); near <= min(tile+reach, longCPUs-1); near++ {
			if g.tiles[near] != 0 && (near == tile || g.r.IntN(2) == 0) {
				after, ready = append(after, g.tiles[near]), max(ready, g.ends[near])
			}
		}
		if reach > 0 && g.r.IntN(6) == 0 {
			channel := g.r.IntN(longChannels)
			ready = g.work(g.copies[channel], longCPUs+channel, profiler.Copy, g.halo[channel], ready, 4e3, planned, after)
			after = []uint32{g.task}
		}
		ends[tile] = g.work(g.cpus[tile], tile, profiler.Run, 0, ready, g.mean[form], planned, after)
		tiles[tile] = g.task
		if g.r.IntN(6) == 0 {
			memory, size := g.memories[tile*longMemories/longCPUs], 8*g.r.Int64N(4<<20)
			g.record(memory, profiler.Record{Kind: profiler.Alloc, Bytes: size, Start: ends[tile] - 100, End: ends[tile] - 100, Op: g.op})
			g.record(memory, profiler.Record{Kind: profiler.Free, Bytes: size, Start: ends[tile], End: ends[tile], Op: g.op})
		}
	}
	g.tiles, g.ends = tiles, ends
	if g.op%16 == 0 {
		g.record(g.program, profiler.Record{Kind: profiler.Plan, Start: planned, End: planned + 20e3 + g.r.Int64N(60e3)})
	}
	if cell := uint32(len(g.cell)); g.op%5000 == 0 {
		end := planned + 100e3
		g.record(g.program, profiler.Record{Kind: profiler.Cell, Label: g.cell[g.op/5000%cell], Start: g.cellSince, End: end})
		g.cellSince = end
	}
}

// counted counts what is written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writeLongRun streams a profile of at least so many bytes, as a run does, and returns how many records it has.
func writeLongRun(w io.Writer, bytes int64) (records int, err error) {
	g, out := newLongRun(), &counted{w: w}
	to, err := profiler.NewWriter(out, g.rec)
	if err != nil {
		return 0, err
	}
	for out.n < bytes {
		for range 100 {
			g.operation()
		}
		if err := to.Flush(); err != nil {
			return 0, err
		}
	}
	return g.records, to.Close()
}

// BenchmarkLongProfile writes profiles of the bytes that WEFT_BENCH_BYTES says, 20 million if it says nothing. With
// WEFT_BENCH_PROFILE=FILE it leaves the profile there, for tests/bench_prof/viewer.py.
func BenchmarkLongProfile(b *testing.B) {
	size := int64(20e6)
	if text := os.Getenv("WEFT_BENCH_BYTES"); text != "" {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			b.Fatal(err)
		}
		size = int64(n)
	}
	records := 0
	for b.Loop() {
		w := io.Discard
		if name := os.Getenv("WEFT_BENCH_PROFILE"); name != "" {
			f, err := os.Create(name)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			w = f
		}
		buffered := bufio.NewWriterSize(w, 1<<20)
		n, err := writeLongRun(buffered, size)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			b.Fatal(err)
		}
		records = n
	}
	b.ReportMetric(float64(records), "records")
	b.ReportMetric(float64(size)/float64(records), "bytes/record")
}

// BenchmarkLongAnswer is what the server does for one view of all tracks of a profile that BenchmarkLongProfile has
// left in WEFT_BENCH_PROFILE, when it has read it: near its beginning, of which there are sums, and near its end.
func BenchmarkLongAnswer(b *testing.B) {
	name := os.Getenv("WEFT_BENCH_PROFILE")
	if name == "" {
		b.Skip("WEFT_BENCH_PROFILE names no profile")
	}
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	r, err := profiler.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		b.Fatal(err)
	}
	f := loadingFeed("long", 0, nil)
	f.load(context.Background(), func(_ context.Context, add func(*profiler.Increment)) error {
		for {
			var inc profiler.Increment
			if err := r.Next(&inc); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			add(&inc)
		}
	}, nil)
	start, end := f.store.Span()
	v := &viewerConn{feed: f, sent: map[detail.Track]sentTrack{}}
	var tracks []detail.Track
	for lane := range f.store.Lanes() {
		for row := range f.store.Rows(lane) {
			tracks = append(tracks, detail.Track{Lane: lane, Row: row})
		}
	}
	for _, at := range []float64{0.1, 0.95} {
		for _, part := range []float64{1, 10, 100, 1e3, 1e4, 1e5} {
			b.Run(fmt.Sprintf("%g/%g", at, part), func(b *testing.B) {
				t0 := at * float64(end-start)
				v.shown = &viewRequest{window: window{timeSpan{t0, t0 + float64(end-start)/part}, 2000}, Tracks: tracks}
				for b.Loop() {
					clear(v.sent)
					v.picture(true)
				}
			})
		}
	}
}
