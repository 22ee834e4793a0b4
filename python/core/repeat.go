//go:build extension

package main

// #include "values.h"
import "C"

import (
	"encoding/binary"

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
	key     []byte
	marks   []mark              // by slot of a handle
	turn    uint32              // counts tapes
	outside []scheduler.StoreID // stores from before the tape, in the order of their first use
	sizes   []int64             // their bytes
	numbers []tile.Scalar       // uniforms by op
	written []scheduler.StoreID // of those from outside
}

// repeat is what is known of a tape.
type repeat struct {
	script *driver.Script // nil until it is learned
	tries  int            // how often that was tried
}

// mark is what a tape says of a handle's slot.
type mark struct {
	turn    uint32
	name    uint8 // of its store: a position in outside, or freshName and which new array it is
	dropped bool  // a new array that is gone when the tape ends
}

const (
	freshName  = 96        // names from here on are new arrays: a tape has room for no more
	maxOutside = freshName // of all names, those below
	maxRepeats = 1 << 9    // tapes that are remembered; one holds its ops, 15 kB or so
	maxTries   = 3
	leastTape  = 12 // records from which on a tape is worth it: those that end early would have been fused with what follows
)

// forget drops what is known: launches get new numbers, or the runtime is another.
func (p *repeats) forget() { p.known = nil }

const _ = uint(255 - freshName - C.WEFT_RECORDS)

// repeat does what is on a tape if that is known, or learns it. It reports whether it has.
func (b *binding) repeat(lease driver.Lease, records []C.weft_record) bool {
	p := &b.repeats
	if p.off || len(records) < leastTape || !b.survey(records) {
		return false
	}
	known := p.known[string(p.key)]
	switch {
	case known == nil:
		if p.known == nil || len(p.known) >= maxRepeats {
			p.known = map[string]*repeat{}
		}
		p.known[string(p.key)] = &repeat{}
		return false
	case known.script != nil:
		first, ok := lease.Enact(known.script, p.outside, p.numbers)
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
	p.key, p.outside, p.sizes, p.numbers, p.written = p.key[:0], p.outside[:0], p.sizes[:0], p.numbers[:0], p.written[:0]
	fresh := uint8(freshName)
	for i := range records {
		r := &records[i]
		if r.launch < 0 {
			if m := b.mark(r.out); m.turn == p.turn && m.name >= freshName {
				m.dropped = true
				p.key = append(p.key, 0xff, m.name)
			}
			continue
		}
		l := b.ctx.Launch(int(r.launch))
		if l.Writes > smallBytes {
			return false // it is better fused with what follows
		}
		p.key = binary.LittleEndian.AppendUint32(append(p.key, 0xfe, byte(r.op)), uint32(r.launch))
		p.key = binary.LittleEndian.AppendUint64(p.key, uint64(r.where))
		if r.x != 0 && !b.operand(r.x, r.x_at) || r.y != 0 && !b.operand(r.y, r.y_at) {
			return false
		}
		if r.fresh != 0 {
			*b.mark(r.out) = mark{turn: p.turn, name: fresh}
			fresh++
		} else {
			if !b.operand(r.out, r.out_at) {
				return false
			}
			if m := b.mark(r.out); m.name < freshName {
				p.written = append(p.written, p.outside[m.name])
			}
		}
		if l.Submits() {
			p.numbers = append(p.numbers, l.Uniform(number(r)))
		}
	}
	for _, size := range p.sizes {
		p.key = binary.LittleEndian.AppendUint64(p.key, uint64(size))
	}
	return len(p.numbers) > 0
}

// operand adds an operand to the key.
func (b *binding) operand(handle C.uint64_t, at C.int64_t) bool {
	p := &b.repeats
	m := b.mark(handle)
	if m.turn != p.turn {
		a := b.slot(handle)
		id, ok := a.Ground()
		if !ok {
			return false
		}
		name := 0
		for name < len(p.outside) && p.outside[name] != id {
			name++
		}
		if name == len(p.outside) {
			if name == maxOutside {
				return false
			}
			p.outside, p.sizes = append(p.outside, id), append(p.sizes, a.StoreBytes())
		}
		*m = mark{turn: p.turn, name: uint8(name)}
	}
	p.key = binary.LittleEndian.AppendUint64(append(p.key, m.name), uint64(at))
	return true
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
	into.script, played = lease.Learn(b.repeats.outside, len(b.repeats.numbers), func() {
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
