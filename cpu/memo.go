package cpu

import (
	"slices"
	"unsafe"

	"weft/tile"
)

// A program of small arrays launches the same code on the same shapes by the thousand, where choosing
// axes and encoding would take as long as computing. So frames remember launches as they were encoded:
// what is different the next time are addresses, scalars and coordinates.
//
// What is remembered also passed all checks: of the next launch it is enough that it has the same
// shape and strides, and stays within its buffers.

// memo holds the launches that a frame remembers, by executable: a few for each set, because programs
// run on several shapes.
type memo struct {
	memory arena // a slot for each
	known  [memoSets][memoWays]known
	next   [memoSets]uint8 // the way that is given up next
	making *known          // what is being encoded, or nil
}

const (
	memoSets, memoWays = 32, 4
	slotBytes          = 8 << 10 // launches that take more are not remembered
)

// known is a launch that is remembered.
type known struct {
	encoded
	x       *executable // nil: nothing is
	c       *code
	shape   []int
	origins int // how many
	block   []int
	reduces bool
	reduced tile.Axes
	strides []int64 // of all bindings
	reach   []reach // of each
}

// reach is the bytes that a binding covers, counted from its offset.
type reach struct{ lo, hi int64 }

// choose finds memory for a launch of so many bytes: where it is remembered, or only passes.
func (f *frame) choose(x *executable, c *code, l *tile.Launch, size int) error {
	f.encoded, f.memo.making = &f.passing, nil
	if size > slotBytes || c.checked || f.streams(c, l) {
		_, err := f.passing.reserve(size)
		return err
	}
	m := &f.memo
	if _, err := m.memory.reserve(memoSets * memoWays * slotBytes); err != nil {
		return err
	}
	set := x.number % memoSets
	way := int(m.next[set]) % memoWays
	m.next[set]++
	k := &m.known[set][way]
	k.x = nil
	at := (int(set)*memoWays + way) * slotBytes
	k.memory, k.free = m.memory.memory[at:at+slotBytes:at+slotBytes], 0
	k.c, k.origins, k.reduces, k.reduced = c, len(l.Origin), l.Block != nil, l.Reduced
	k.shape = append(k.shape[:0], l.Shape...)
	k.block = append(k.block[:0], l.Block...)
	k.strides, k.reach = k.strides[:0], k.reach[:0]
	for i := range l.Args {
		k.strides = append(k.strides, l.Args[i].Strides...)
		lo, hi := l.Reach(i)
		k.reach = append(k.reach, reach{lo, hi})
	}
	f.encoded, m.making = &k.encoded, k
	return nil
}

// streams reports whether some output of a launch is so large that it may go past the caches.
func (f *frame) streams(c *code, l *tile.Launch) bool {
	for _, r := range c.results {
		if l.Args[r.param].Buffer.Size >= f.stream {
			return true
		}
	}
	return false
}

// remember says that the launch which was encoded is ready to run, and may run again.
func (f *frame) remember(x *executable) {
	if k := f.memo.making; k != nil {
		k.x, f.memo.making = x, nil
	}
}

// forget drops everything that is remembered.
func (f *frame) forget() {
	for s := range f.memo.known {
		for w := range f.memo.known[s] {
			f.memo.known[s][w].x = nil
		}
	}
}

// recall makes a launch ready that is remembered; false means that it is not. It is not where something
// is wrong with it either. f.base is known.
func (f *frame) recall(x *executable, l *tile.Launch) bool {
	set := &f.memo.known[x.number%memoSets]
	for w := range set {
		if k := &set[w]; k.x == x && k.fits(f, l) {
			f.encoded = &k.encoded
			k.renew(f, l)
			return true
		}
	}
	return false
}

// fits reports whether a launch of the same program is the one that is remembered, but for addresses
// and scalars.
func (k *known) fits(f *frame, l *tile.Launch) bool {
	if len(l.Args) != len(k.reach) || !slices.Equal(l.Shape, k.shape) || len(l.Origin) != k.origins ||
		(l.Block != nil) != k.reduces || l.Reduced != k.reduced || !slices.Equal(l.Block, k.block) {
		return false
	}
	strides := k.strides
	for i := range l.Args {
		a, r := &l.Args[i], k.reach[i]
		if len(a.Strides) != len(l.Shape) || a.Offset+r.lo < 0 || a.Offset+r.hi > a.Buffer.Size {
			return false
		}
		for n, s := range a.Strides {
			if strides[n] != s {
				return false
			}
		}
		strides = strides[len(a.Strides):]
	}
	return l.Typed() && k.x.code(f, l) == k.c && !f.streams(k.c, l)
}

// renew writes into the encoded launch what is different this time.
func (k *known) renew(f *frame, l *tile.Launch) {
	for i, w := range k.c.windows {
		k.windows[i].P = unsafe.Add(f.base[w.param], l.Args[w.param].Offset)
	}
	for _, u := range k.c.uniforms {
		k.encoded.scalars[u.place] = l.Uniforms[u.n].Bits
	}
	for i, id := range k.x.indexes {
		k.counters[i].Origin = int64(l.Origin[id])
		k.cells[2*i] = k.counters[i].Origin
	}
	for i := range k.x.reducers {
		p := k.x.reducers[i].param
		k.reducers[i].Out = unsafe.Add(f.base[p], l.Args[p].Offset)
	}
}
