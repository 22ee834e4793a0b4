package tiletest

import (
	"math/rand/v2"
	"sync"

	"weft/tile"
)

// testOrdered gives an ordered device, and another one of its family, long chains of launches and copies
// without waiting for any of them: each works on what the one before has left, mostly on another queue or device. A
// mistake in the order shows in the values. Of what a device is given at random stretches, launches that follow each
// other may go together (tile.Sequencer).
func testOrdered(b *bench) {
	if !b.dev.Info().Ordered {
		return
	}
	const n = 64
	nb := tile.NewBuilder("link", 1)
	nb.Store(nb.Do(tile.Add, nb.Do(tile.Mul, nb.Load(tile.Int64), nb.Const(tile.IntScalar(tile.Int64, 3))), nb.Uniform(tile.Int64)))
	tr := &trial{program: nb.Program(), uniforms: []tile.Scalar{tile.IntScalar(tile.Int64, 0)}}
	tr.fit(layout{shape: []int{n}}, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 1) })
	tr.args[1] = tr.args[0]
	tr.memory = tr.memory[:1]
	c := &chains{bench: b, devices: []tile.Device{b.dev, b.open()}, last: map[queueOf]uint64{}, ended: map[queueOf]uint64{}, open: map[queueOf]bool{}}
	for i, dev := range c.devices {
		exe, err := dev.Compile(tr.program)
		if err != nil {
			b.Fatal(err)
		}
		c.exes[i] = exe
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 0))
		var chains [3]chained
		for i := range chains {
			for k, dev := range c.devices {
				chains[i].buffers[k] = b.alloc(dev, tr.memory[0])
			}
			chains[i].value = 1
		}
		for step := range 120 {
			ch := &chains[r.IntN(len(chains))]
			c.sequence(r)
			switch r.IntN(6) {
			case 0:
				c.move(r, ch, n*8)
			case 1:
				c.fail(r, ch, tr)
			default:
				c.link(r, ch, tr, int64(step))
			}
		}
		for at := range c.open {
			c.end(at)
		}
		c.under.Wait()
		for i := range chains {
			ch := &chains[i]
			got := b.download(c.devices[ch.on], ch.buffers[ch.on], n*8)
			for k := range n {
				if v := decode(tile.Int64, got[8*k:]).Int(); v != ch.value {
					b.Errorf("seed %d: element %d of chain %d is %d, want %d", seed, k, i, v, ch.value)
					break
				}
			}
			for k, dev := range c.devices {
				dev.Free(ch.buffers[k])
			}
		}
	}
	if err := c.devices[1].Close(); err != nil {
		b.Errorf("Close: %v", err)
	}
}

type queueOf struct{ device, queue int }

// chains gives work to two devices.
type chains struct {
	*bench
	devices []tile.Device
	exes    [2]tile.Executable
	last    map[queueOf]uint64 // the number given last
	open    map[queueOf]bool   // where a sequence has begun
	under   sync.WaitGroup

	mu    sync.Mutex
	ended map[queueOf]uint64 // the number that was done last
}

// chained is a value that each piece of work of a chain changes or moves.
type chained struct {
	buffers [2]tile.Buffer
	on      int // the device whose buffer has the value
	value   int64
	before  []tile.Point // the work before
	ends    *int64       // when that ended, where it was done on the device that has the value
}

// sequence may begin or end one.
func (c *chains) sequence(r *rand.Rand) {
	at := queueOf{device: r.IntN(len(c.devices))}
	dev := c.devices[at.device]
	at.queue = r.IntN(dev.Info().Queues)
	switch {
	case !dev.Info().Sequences || r.IntN(3) > 0:
	case c.open[at]:
		c.end(at)
	default:
		dev.(tile.Sequencer).Sequence(at.queue)
		c.open[at] = true
	}
}

func (c *chains) end(at queueOf) {
	c.devices[at.device].(tile.Sequencer).End(at.queue)
	delete(c.open, at)
}

// turn returns the turn of what comes next in a chain, and what is to be called when it is done.
func (c *chains) turn(ch *chained, device, queue int, fails bool) (tile.Turn, func(tile.Completion)) {
	at := queueOf{device, queue}
	c.last[at]++
	seq := c.last[at]
	t := tile.Turn{Seq: seq, After: ch.before}
	before, ended := ch.ends, new(int64)
	ch.before, ch.ends = []tile.Point{{Device: c.devices[device], Queue: queue, Seq: seq}}, ended
	c.under.Add(1)
	return t, func(done tile.Completion) {
		defer c.under.Done()
		c.mu.Lock()
		defer c.mu.Unlock()
		if (done.Err != nil) != fails {
			c.Errorf("number %d of queue %d: error %v, want one: %v", seq, queue, done.Err, fails)
		}
		if c.ended[at] != seq-1 {
			c.Errorf("number %d of queue %d is done after number %d", seq, queue, c.ended[at])
		}
		c.ended[at] = seq
		*ended = done.End
		if before != nil && done.Start < *before {
			c.Errorf("number %d of queue %d starts at %d, but waits for what ended at %d", seq, queue, done.Start, *before)
		}
	}
}

// link computes on a queue of the device that has the value.
func (c *chains) link(r *rand.Rand, ch *chained, tr *trial, add int64) {
	queue := r.IntN(c.devices[ch.on].Info().Queues)
	l := tr.launch(c.exes[ch.on])
	l.Args[0].Buffer, l.Args[1].Buffer = ch.buffers[ch.on], ch.buffers[ch.on]
	l.Uniforms = []tile.Scalar{tile.IntScalar(tile.Int64, add)}
	var done func(tile.Completion)
	l.Turn, done = c.turn(ch, ch.on, queue, false)
	ch.value = 3*ch.value + add
	c.devices[ch.on].Launch(queue, l, done)
}

// fail gives work that fails, after which the next runs all the same.
func (c *chains) fail(r *rand.Rand, ch *chained, tr *trial) {
	queue := r.IntN(c.devices[ch.on].Info().Queues)
	l := tr.launch(c.exes[ch.on])
	l.Uniforms = nil
	var done func(tile.Completion)
	l.Turn, done = c.turn(ch, ch.on, queue, true)
	c.devices[ch.on].Launch(queue, l, done)
}

// move copies the value to the other device, by a queue of either.
func (c *chains) move(r *rand.Rand, ch *chained, bytes int64) {
	from, to := ch.on, 1-ch.on
	by := r.IntN(2)
	queue := r.IntN(c.devices[by].Info().Queues)
	x := &tile.Transfer{Dst: ch.buffers[to], DstDev: c.devices[to], Src: ch.buffers[from], SrcDev: c.devices[from], Bytes: bytes}
	ch.ends = nil // the clocks of the two may differ
	var done func(tile.Completion)
	x.Turn, done = c.turn(ch, by, queue, false)
	ch.on = to
	if by != to {
		ch.ends = nil
	}
	c.devices[by].Copy(queue, x, done)
}
