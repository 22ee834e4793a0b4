//go:build extension

package main

// #include "values.h"
import "C"

import (
	"slices"
	"strings"
	"unsafe"

	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
)

// repeats knows the tapes that were drained before. In a loop the same tape comes again and again, with
// other arrays. The first time it is played; the second time it is played as a window of its own,
// of which the driver makes a script; from then on the script is enacted, and of the arrays on the tape
// only those come into being that outlive it.
//
// Equal keys are tapes that come to the same but for the arrays and numbers: launches, places,
// offsets, which operands share a store, how large it is, and which new arrays Python has dropped again.
type repeats struct {
	off     bool
	known   map[string]*repeat
	last    *repeat             // what was on the tape before
	key     []uint64            // opKey, dropKey and sizes; see survey
	marks   []mark              // by slot of a handle
	turn    uint32              // counts tapes
	outside []scheduler.StoreID // stores from before the tape, in the order of their first use
	sizes   []int64             // their bytes
	numbers *numbers            // of the tape
	spare   numbers             // for tapes that nobody expects
	written []scheduler.StoreID // of those from outside
}

// repeat is what is known of a tape.
type repeat struct {
	key     string
	next    *repeat        // what was on the tape after it, the last time
	script  *driver.Script // nil until it is learned
	tries   int            // how often that was tried
	numbers numbers        // of the last time
}

// numbers are the uniforms of a tape, by op. Whether they are those of the last time is seen when they are stored there again,
// which costs nothing.
type numbers struct {
	list    []tile.Scalar
	edition uint64 // goes up when they change
}

// mark is what a tape says of a handle's slot.
type mark struct {
	turn    uint32
	name    uint16 // of its store: a position in outside, or freshName and which new array it is
	dropped bool   // a new array that is gone when the tape ends
}

const (
	noName     = 0
	maxOutside = 192            // stores from outside have the names up to this
	freshName  = maxOutside + 1 // and new arrays those from here on
	maxRepeats = 1 << 8         // tapes that are remembered: one of 127 ops takes 140 kB, with its programs
	maxTries   = 3
	leastTape  = 12 // records from which on a tape is worth it: those that end early would have been fused with what follows
)

const _ = uint(1<<16 - freshName - C.WEFT_RECORDS) // names have 16 bits

// The first words of a key's entries say what they are, above a launch's number and an operator's, or a name.
const (
	opKey   = 1 << 40 // six words: where, names of the operands, their offsets
	dropKey = 2 << 40
	endKey  = 3 << 40 // the sizes of the stores from outside
)

// forget drops what is known: launches get new numbers, or the runtime is another.
func (p *repeats) forget() { p.known, p.last = nil, nil }

// find returns what is known of the tape that was surveyed, or nil. In a loop that is what came after the last one
// before, so that the key need not be hashed.
func (p *repeats) find() *repeat {
	key := p.text()
	if next := p.expected(); next != nil && next.key == key {
		p.last = next
		return next
	}
	known := p.known[key]
	if p.last != nil {
		p.last.next = known
	}
	p.last = known
	if known != nil { // its numbers have gone to where others were expected
		known.numbers.list = append(known.numbers.list[:0], p.numbers.list...)
		known.numbers.edition++
		p.numbers = &known.numbers
	}
	return known
}

// expected returns what followed the last tape before, or nil.
func (p *repeats) expected() *repeat {
	if p.last == nil {
		return nil
	}
	return p.last.next
}

// text returns the key as a string, which is good until the next survey.
func (p *repeats) text() string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(p.key))), 8*len(p.key))
}

// repeat does what is on a tape if that is known, or learns it. It reports whether it has.
func (b *binding) repeat(lease driver.Lease, records []C.weft_record) bool {
	p := &b.repeats
	if p.off || len(records) < leastTape || b.ctx.Bytewise() || !b.survey(records) {
		return false
	}
	known := p.find()
	switch {
	case known == nil:
		if p.known == nil || len(p.known) >= maxRepeats {
			p.known = map[string]*repeat{}
		}
		known = &repeat{key: strings.Clone(p.text())}
		p.known[known.key] = known
		return false
	case known.script != nil:
		first, ok := lease.Enact(known.script, p.outside, p.numbers.list, p.numbers.edition)
		if ok {
			b.settle(records, first)
		}
		return ok
	case known.tries >= maxTries:
		return false
	}
	return b.learn(lease, known, records)
}

// survey reads a tape: its key, the stores from outside, the numbers. It is false for a tape that cannot
// be repeated.
func (b *binding) survey(records []C.weft_record) bool {
	p := &b.repeats
	p.turn++
	p.key, p.outside, p.sizes, p.written = p.key[:0], p.outside[:0], p.sizes[:0], p.written[:0]
	p.numbers = &p.spare
	if next := p.expected(); next != nil {
		p.numbers = &next.numbers
	}
	list, n, changed := p.numbers.list, 0, false
	defer func() {
		if changed || n != len(list) {
			p.numbers.edition++
		}
		p.numbers.list = list[:n]
	}()
	fresh := uint16(freshName)
	for i := range records {
		r := &records[i]
		if r.launch < 0 {
			if m := b.mark(r.out); m.turn == p.turn && m.name >= freshName {
				m.dropped = true
				p.key = append(p.key, dropKey|uint64(m.name))
			}
			continue
		}
		l := b.ctx.Launch(int(r.launch))
		if l.Writes > smallBytes {
			return false // it is better fused with what follows
		}
		var x, y, out uint16 // names
		if r.x != 0 {
			if x = b.name(r.x); x == noName {
				return false
			}
		}
		if r.y != 0 {
			if y = b.name(r.y); y == noName {
				return false
			}
		}
		if r.fresh != 0 {
			*b.mark(r.out) = mark{turn: p.turn, name: fresh}
			fresh++
		} else {
			if out = b.name(r.out); out == noName {
				return false
			}
			if out < freshName {
				p.written = append(p.written, p.outside[out-1])
			}
		}
		p.key = append(p.key, opKey|uint64(r.op)<<32|uint64(uint32(r.launch)), uint64(r.where),
			uint64(x)|uint64(y)<<16|uint64(out)<<32, uint64(r.x_at), uint64(r.y_at), uint64(r.out_at))
		if l.Submits() {
			if n == len(list) {
				list = append(list, tile.Scalar{})
				changed = true
			}
			changed = l.SetUniform(&list[n], number(r)) || changed
			n++
		}
	}
	p.key = append(p.key, endKey)
	for _, size := range p.sizes {
		p.key = append(p.key, uint64(size))
	}
	return n > 0
}

// name returns the name of an operand's store, or noName for one that cannot be repeated.
func (b *binding) name(handle C.uint64_t) uint16 {
	p := &b.repeats
	m := b.mark(handle)
	if m.turn == p.turn {
		return m.name
	}
	a := b.slot(handle)
	id, ok := a.Ground()
	if !ok {
		return noName
	}
	at := slices.Index(p.outside, id)
	if at < 0 {
		if at = len(p.outside); at == maxOutside {
			return noName
		}
		p.outside, p.sizes = append(p.outside, id), append(p.sizes, a.StoreBytes())
	}
	*m = mark{turn: p.turn, name: uint16(at + 1)}
	return m.name
}

// mark returns the mark of a handle's slot.
func (b *binding) mark(handle C.uint64_t) *mark {
	slot := uint64(handle) >> C.WEFT_SLOT
	for uint64(len(b.repeats.marks)) <= slot {
		b.repeats.marks = append(b.repeats.marks, mark{})
	}
	return &b.repeats.marks[slot]
}

// passing reports whether a record drops an array that is new on the tape.
func (b *binding) passing(r *C.weft_record) bool {
	m := b.mark(r.out)
	return m.turn == b.repeats.turn && m.dropped
}

// learn plays a tape and has a script made of it, or does nothing and reports that. What was there before is
// dropped after the tape, so that it does not matter to the script.
func (b *binding) learn(lease driver.Lease, into *repeat, records []C.weft_record) (played bool) {
	into.script, played = lease.Learn(b.repeats.outside, len(b.repeats.numbers.list), func() {
		for i := range records {
			switch r := &records[i]; {
			case r.launch >= 0:
				b.play(r)
			case b.passing(r):
				b.drop(r.out)
			}
		}
	})
	if played {
		into.tries++
	}
	for i := range records {
		if r := &records[i]; played && r.launch < 0 && !b.passing(r) {
			b.drop(r.out)
		}
	}
	return played
}

// settle makes the arrays that are left when a tape was repeated, whose stores are numbered from first
// on, and drops those that Python has dropped.
func (b *binding) settle(records []C.weft_record, first scheduler.StoreID) {
	for _, id := range b.repeats.written {
		b.ctx.Changed(id)
	}
	for i := range records {
		r := &records[i]
		switch {
		case r.launch < 0:
			if !b.passing(r) {
				b.drop(r.out)
			}
			continue
		case r.fresh == 0:
		case b.passing(r):
			b.free = append(b.free, uint32(r.out>>C.WEFT_SLOT))
			first++
		default:
			a := b.ctx.Adopt(b.ctx.Launch(int(r.launch)), first)
			a.SetTag(uint64(r.memory))
			*b.place(uint32(r.out >> C.WEFT_SLOT)) = a
			first++
		}
		b.count(r)
	}
}
