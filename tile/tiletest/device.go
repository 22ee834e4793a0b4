package tiletest

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"weft/tile"
)

// chain returns a trial whose program does x = 3x+1 in place on n int64 elements.
func chain(n int) *trial {
	nb := tile.NewBuilder("chain", 1)
	x := nb.Do(tile.Mul, nb.Load(tile.Int64), nb.Const(tile.IntScalar(tile.Int64, 3)))
	nb.Store(nb.Do(tile.Add, x, nb.Const(tile.IntScalar(tile.Int64, 1))))
	tr := &trial{program: nb.Program()}
	tr.fit(layout{shape: []int{n}}, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 1) })
	tr.args[1] = tr.args[0]
	tr.memory = tr.memory[:1]
	return tr
}

// testQueues starts dependent launches on each queue without waiting between them: a queue
// runs them in order, calls done once for each, and its completions do not overlap.
func testQueues(b *bench) {
	const links = 60
	tr := chain(100)
	exe, err := b.dev.Compile(tr.program)
	if err != nil {
		b.Fatal(err)
	}
	want := int64(1)
	for range links {
		want = 3*want + 1
	}
	queues := b.dev.Info().Queues
	if queues < 1 {
		b.Fatalf("Info says %d queues; want at least 1", queues)
	}
	var finished sync.WaitGroup
	calls := make([]atomic.Int64, queues*links)
	buffers := make([]tile.Buffer, queues)
	for q := range queues {
		buffers[q] = b.alloc(b.dev, tr.memory[0])
		last := int64(math.MinInt64) // done runs on one goroutine per queue, in order
		for i := range links {
			l := tr.launch(exe)
			l.Args[0].Buffer, l.Args[1].Buffer = buffers[q], buffers[q]
			finished.Add(1)
			b.dev.Launch(q, l, func(c tile.Completion) {
				if calls[q*links+i].Add(1) > 1 {
					b.Errorf("done of launch %d on queue %d was called again", i, q)
					return
				}
				if c.Err != nil {
					b.Error(c.Err)
				}
				if c.Queue != q {
					b.Errorf("a completion of queue %d says queue %d", q, c.Queue)
				}
				if c.Start < last || c.End < c.Start {
					b.Errorf("launch %d on queue %d runs from %d to %d, after one that ended at %d", i, q, c.Start, c.End, last)
				}
				last = c.End
				finished.Done()
			})
		}
	}
	finished.Wait()
	for q, buf := range buffers {
		got := b.download(b.dev, buf, len(tr.memory[0]))
		if v := decode(tile.Int64, got).Int(); v != want {
			b.Errorf("queue %d: %d after %d launches; want %d", q, v, links, want)
		}
		b.dev.Free(buf)
	}
}

// testConcurrent launches one executable from several goroutines, on their own buffers, then
// closes the device with work under way.
func testConcurrent(b *bench) {
	dev := b.open()
	tr := chain(1000)
	exe, err := dev.Compile(tr.program)
	if err != nil {
		b.Fatal(err)
	}
	var started sync.WaitGroup
	var completed atomic.Int64
	for g := range 6 {
		buf := b.alloc(dev, tr.memory[0])
		started.Add(1)
		go func() {
			defer started.Done()
			for i := range 20 {
				l := tr.launch(exe)
				l.Args[0].Buffer, l.Args[1].Buffer = buf, buf
				queue := g % dev.Info().Queues
				if i%2 == 0 && dev.Info().Inline {
					queue = tile.Inline
				}
				// One launch at a time on a buffer.
				finished := make(chan tile.Completion, 1)
				dev.Launch(queue, l, func(c tile.Completion) { completed.Add(1); finished <- c })
				if c := <-finished; c.Err != nil {
					b.Error(c.Err)
				}
			}
		}()
	}
	started.Wait()
	buf := b.alloc(dev, tr.memory[0])
	for range 50 {
		l := tr.launch(exe)
		l.Args[0].Buffer, l.Args[1].Buffer = buf, buf
		dev.Launch(0, l, func(tile.Completion) { completed.Add(1) })
	}
	if err := dev.Close(); err != nil {
		b.Errorf("Close: %v", err)
	}
	if n := completed.Load(); n != 170 {
		b.Errorf("%d launches completed before Close returned; want 170", n)
	}
}

// testCopy copies parts of buffers, within the device, between two devices, and to the host.
func testCopy(b *bench) {
	src := make([]byte, 300)
	for i := range src {
		src[i] = byte(i)
	}
	other := b.open()
	for _, to := range []tile.Device{b.dev, other} {
		x, y := b.alloc(b.dev, src), b.alloc(to, make([]byte, 300))
		for _, q := range []int{b.queue(), 0} {
			c := b.wait(func(done func(tile.Completion)) {
				b.dev.Copy(q, &tile.Transfer{Dst: y, DstAt: 50, DstDev: to, Src: x, SrcAt: 100, SrcDev: b.dev, Bytes: 77}, done)
			})
			if c.Err != nil {
				b.Fatal(c.Err)
			}
		}
		want := make([]byte, 300)
		copy(want[50:127], src[100:])
		if got := b.download(to, y, 300); !bytes.Equal(got, want) {
			b.Errorf("a copy of bytes 100 to 177 to byte 50 gave %v", got)
		}
		for _, q := range []int{b.queue(), 0} {
			if c := b.wait(func(done func(tile.Completion)) {
				b.dev.Copy(q, &tile.Transfer{Dst: y, DstAt: 200, DstDev: to, DstStep: 10, Src: x, SrcAt: 3, SrcDev: b.dev, SrcStep: 70, Bytes: 7, Rows: 4}, done)
			}); c.Err != nil {
				b.Fatal(c.Err)
			}
		}
		for row := range 4 {
			copy(want[200+10*row:207+10*row], src[3+70*row:])
		}
		if got := b.download(to, y, 300); !bytes.Equal(got, want) {
			b.Errorf("a copy of 4 rows of 7 bytes, 70 apart, to rows 10 apart from byte 200 on gave %v", got)
		}
		if c := b.wait(func(done func(tile.Completion)) {
			b.dev.Copy(b.queue(), &tile.Transfer{Dst: y, DstDev: to, Src: x, SrcDev: b.dev}, done)
		}); c.Err != nil {
			b.Errorf("a copy of no bytes: %v", c.Err)
		}
		for _, bad := range []tile.Transfer{{DstAt: 250, Bytes: 51}, {SrcAt: -1, Bytes: 1}, {Bytes: -1}, {SrcAt: 301}, {Bytes: 1, Rows: -1},
			{Bytes: 4, Rows: 2, DstStep: 3, SrcStep: 4}, {Bytes: 4, Rows: 2, DstStep: 4, SrcStep: 3}, {Bytes: 4, Rows: 4, DstStep: 100, SrcStep: 8}} {
			bad.Dst, bad.DstDev, bad.Src, bad.SrcDev = y, to, x, b.dev
			if c := b.wait(func(done func(tile.Completion)) { b.dev.Copy(b.queue(), &bad, done) }); c.Err == nil {
				b.Errorf("a copy of %d rows of %d bytes from %d by %d to %d by %d of buffers of 300 bytes was accepted", bad.Rows, bad.Bytes, bad.SrcAt, bad.SrcStep, bad.DstAt, bad.DstStep)
			}
		}
		b.dev.Free(x)
		to.Free(y)
	}
	if err := other.Close(); err != nil {
		b.Error(err)
	}
}

// testRefusals gives the device what is wrong; it must say so, once, and go on working.
func testRefusals(b *bench) {
	for name, p := range map[string]*tile.Program{
		"operand after its use": {Code: []tile.Instr{{Op: tile.Neg, Type: tile.Int8, Args: tile.Operands(3)}}},
		"no such opcode":        {Code: []tile.Instr{{Op: 255, Type: tile.Int8}}},
		"no such dtype":         {Params: []tile.Param{{Dir: tile.Out, Type: 99}}},
		"no such parameter":     {Code: []tile.Instr{{Op: tile.Load, Type: tile.Int8, N: 4, Args: tile.Operands()}}},
		"no output":             {},
		"rank":                  {Rank: 70},
	} {
		if _, err := b.dev.Compile(p); err == nil {
			b.Errorf("Compile accepts a program with a fault: %s", name)
		}
	}
	tr := chain(10)
	exe, err := b.dev.Compile(tr.program)
	if err != nil {
		b.Fatal(err)
	}
	buf := b.alloc(b.dev, tr.memory[0])
	right := tr.launch(exe) // of which nothing may be kept that a wrong one would profit from
	right.Args[0].Buffer, right.Args[1].Buffer = buf, buf
	if c := b.wait(func(done func(tile.Completion)) { b.dev.Launch(b.queue(), right, done) }); c.Err != nil {
		b.Fatal(c.Err)
	}
	before := b.download(b.dev, buf, len(tr.memory[0]))
	for name, change := range map[string]func(l *tile.Launch) int{
		"a buffer that ends":    func(l *tile.Launch) int { l.Args[1].Buffer.Size = 79; return b.queue() },
		"beyond the buffer":     func(l *tile.Launch) int { l.Args[0].Offset = 40; return b.queue() },
		"before the buffer":     func(l *tile.Launch) int { l.Args[1].Strides = []int64{-8}; return b.queue() },
		"too few bindings":      func(l *tile.Launch) int { l.Args = l.Args[:1]; return b.queue() },
		"wrong rank":            func(l *tile.Launch) int { l.Shape = []int{5, 2}; return b.queue() },
		"a uniform too many":    func(l *tile.Launch) int { l.Uniforms = make([]tile.Scalar, 1); return b.queue() },
		"a block without need":  func(l *tile.Launch) int { l.Block = []int{4}; return b.queue() },
		"foreign executable":    func(l *tile.Launch) int { l.Exe = 5; return b.queue() },
		"a turn after nothing":  func(l *tile.Launch) int { l.Turn.After = []tile.Point{{Seq: 1}}; return b.queue() },
		"a queue that is not":   func(l *tile.Launch) int { return b.dev.Info().Queues },
		"a queue that never is": func(l *tile.Launch) int { return -7 },
	} {
		l := tr.launch(exe)
		l.Args[0].Buffer, l.Args[1].Buffer = buf, buf
		queue := change(l)
		if c := b.wait(func(done func(tile.Completion)) { b.dev.Launch(queue, l, done) }); c.Err == nil {
			b.Errorf("a launch with a fault is accepted: %s", name)
		}
	}
	if got := b.download(b.dev, buf, len(tr.memory[0])); !bytes.Equal(got, before) {
		b.Error("a refused launch wrote to memory")
	}
	b.dev.Free(buf)
	b.compare(tr)
}

// testMemory checks alignment, that blocks are apart, that memory is used again, and the limit.
func testMemory(b *bench) {
	info := b.dev.Info()
	var buffers []tile.Buffer
	for i, n := range []int{0, 1, 63, 64, 65, 1000, 4096, 5000, 100_000, 3_000_000, 5_000_000, 1, 65} {
		buf, err := b.dev.Alloc(int64(n))
		if err != nil {
			b.Fatalf("Alloc(%d): %v", n, err)
		}
		if buf.Size < int64(n) {
			b.Errorf("Alloc(%d) gave %d bytes", n, buf.Size)
		}
		if info.Host != (buf.Host != nil) {
			b.Errorf("Info says Host %v, but the buffer's address is %p", info.Host, buf.Host)
		}
		if uintptr(unsafe.Pointer(buf.Host))%64 != 0 {
			b.Errorf("Alloc(%d) is at %p; want a multiple of 64", n, buf.Host)
		}
		b.upload(b.dev, buf, bytes.Repeat([]byte{byte(i + 1)}, n))
		buffers = append(buffers, buf)
	}
	for i, n := range []int{0, 1, 63, 64, 65, 1000, 4096, 5000, 100_000, 3_000_000, 5_000_000, 1, 65} {
		if got := b.download(b.dev, buffers[i], n); !bytes.Equal(got, bytes.Repeat([]byte{byte(i + 1)}, n)) {
			b.Errorf("the contents of buffer %d of %d bytes changed", i, n)
		}
		b.dev.Free(buffers[i])
	}
	for range 1000 { // far more than a limit allows at once
		buf, err := b.dev.Alloc(16 << 20)
		if err != nil {
			b.Fatal(err)
		}
		b.dev.Free(buf)
	}
	if _, err := b.dev.Alloc(-1); err == nil {
		b.Error("Alloc(-1) succeeds")
	}
	if info.Memory > 0 {
		if _, err := b.dev.Alloc(info.Memory + 1); !errors.Is(err, tile.ErrOutOfMemory) {
			b.Errorf("Alloc of more than the limit: %v; want ErrOutOfMemory", err)
		}
		half, err := b.dev.Alloc(info.Memory / 2)
		if err != nil {
			b.Fatalf("half of the limit: %v", err)
		}
		if _, err := b.dev.Alloc(info.Memory/2 + 1<<20); !errors.Is(err, tile.ErrOutOfMemory) {
			b.Errorf("more than the other half: %v; want ErrOutOfMemory", err)
		}
		b.dev.Free(half)
		testLimit(b, info.Memory)
	}
	if _, err := b.dev.Alloc(1 << 50); !errors.Is(err, tile.ErrOutOfMemory) {
		b.Errorf("Alloc(1<<50): %v; want ErrOutOfMemory", err)
	}
}

// testLimit fills a memory to the last byte: what counts is what was asked for, in multiples of 64.
func testLimit(b *bench, limit int64) {
	part := limit / 8 &^ 63
	var held []tile.Buffer
	for range 8 {
		buf, err := b.dev.Alloc(part - 63)
		if err != nil {
			b.Fatalf("an eighth of the limit, on top of %d others: %v", len(held), err)
		}
		held = append(held, buf)
	}
	if _, err := b.dev.Alloc(limit - 8*part + 1); !errors.Is(err, tile.ErrOutOfMemory) {
		b.Errorf("a byte more than the limit: %v; want ErrOutOfMemory", err)
	}
	for _, buf := range held {
		b.dev.Free(buf)
	}
}
