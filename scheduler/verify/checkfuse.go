package verify

import (
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// fusion checks by brute force that a plan with fused ops cannot be told from the stream
// of ops that they were made of: element by element, without the reasoning of the pass. The ops
// are those of one plan or of several, in the order of the plans.
//
// The ops of the cell have IDs in the order of the stream, and a position each in the plan, at which the op stands that
// they are a part of:
//
//	stream   o1   o2   o3   o4   o5        at    0 0 1 0 2
//	plan     [o1+o2+o4]   o3   o5                o4 overtakes o3: they must share nothing that one writes
//
// It is a matter of pairs, and of positions only: where at rises with the ID there is nothing to check.
func (c *Checker) fusion(ops []*scheduler.Op) {
	var list []placed // the stream: the cell's ops in order
	for at, op := range ops {
		for i, part := range op.Parts {
			p := placed{op: part, into: op, at: at}
			if op.Turns != nil {
				p.turn = op.Turns[i]
			}
			list = append(list, p)
		}
		if op.Parts == nil && !carries(op) {
			list = append(list, placed{op: op, at: at})
		} else if c.counts(&scheduler.Task{Op: op}) {
			c.Fused += len(op.Parts)
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return int(a.op.ID) - int(b.op.ID) })
	// The stream falls into pieces where everything before has smaller positions than everything behind: no pair across
	// such a place is out of order. In a run of many windows these are the windows, and the pairs stay few.
	earliest := make([]int, len(list)+1) // from here on
	earliest[len(list)] = len(ops)
	for i := len(list) - 1; i >= 0; i-- {
		earliest[i] = min(earliest[i+1], list[i].at)
	}
	for first, i, latest := 0, 0, -1; i < len(list); i++ { // in pieces that the stream and the plans have in the same order
		latest = max(latest, list[i].at)
		if latest < earliest[i+1] {
			c.window(list[first : i+1])
			first = i + 1
		}
	}
}

// window is fusion for a piece of the stream.
//
// First the pairs, then what fused ops leave out. A store that a part should write and that its fused op does not is a
// value that lived in registers. It is gone: no op outside of the fused one, in this piece or in a later one,
// may use the store from then on, unless it is one from before the part.
func (c *Checker) window(list []placed) {
	for i, b := range list {
		for _, u := range b.op.Uses {
			if by, gone := c.dropped[u.View.Store]; gone {
				c.wrong(5, &scheduler.Task{Op: b.op}, "%v uses %v, which %v was supposed to write, but does not", b.op.ID, u.View.Store, by)
			}
		}
		for _, a := range list[:i] {
			if a.at >= b.at {
				c.overtakes(a, b)
			}
		}
	}
	var fused *scheduler.Op
	for _, a := range list {
		if a.into == nil || a.into == fused {
			continue
		}
		fused = a.into
		for _, part := range fused.Parts {
			c.drop(fused, part)
			for _, b := range list {
				if b.into != fused && b.op.ID > part.ID {
					for _, u := range b.op.Uses {
						if by, gone := c.dropped[u.View.Store]; gone && by == part.ID {
							c.wrong(5, &scheduler.Task{Op: b.op}, "%v uses %v, which %v was supposed to write, but does not", b.op.ID, u.View.Store, by)
						}
					}
				}
			}
		}
	}
}

// placed is an op of the cell and the position of the op of the plan that it became or
// is part of.
type placed struct {
	op   *scheduler.Op
	into *scheduler.Op // what it was fused into; nil if it was not
	at   int
	turn []int // of its axes, as in Op.Turns
}

// number returns the point of the fused op's index space, counted in C order, that is a point of the part's.
//
// Parts of one op are compared by these numbers. They are equal where the points are: refining an index space keeps the
// order of its points, so that only turned axes change a number.
//
//	part    over (3,2), turn (1,0)      fused op over (2,3)
//	point   4 = (2,0)                   at (0,2) = 2
func (p *placed) number(point int) int {
	if p.turn == nil {
		return point
	}
	number := 0
	for i := len(p.turn) - 1; i >= 0; i-- {
		axis, step := p.turn[i], 1
		for _, n := range p.into.Shape[axis+1:] {
			step *= n
		}
		number += point % p.into.Shape[axis] * step
		point /= p.into.Shape[axis]
	}
	return number
}

// carries reports whether an op is the core's own: it moves what no op of the cell names.
//
// Such an op copies a store's bytes outside of a renewed view from the old instance to the new one; it reads and writes
// the same view of the same store, which to the stream is nothing.
func carries(op *scheduler.Op) bool {
	return op.Parts == nil && len(op.Uses) == 2 && op.Uses[1].Renews && scheduler.SameView(&op.Uses[0].View, &op.Uses[1].View)
}

// keeps reports whether what the view names stays readable while the fused op runs, although a
// part writes it: the value goes to a new instance, or nowhere, because it is never read.
func keeps(into *scheduler.Op, v scheduler.View) bool {
	for _, u := range into.Uses {
		if u.Access.Writes() && u.View.Store == v.Store {
			return u.Renews
		}
	}
	return true
}

// overtakes checks two ops of which the first comes before the second in the stream, but not
// in the plan: they share no bytes that one writes, or run as one and share bytes at the
// same points only.
//
// What is known of bytes takes eight times their number. LookBack bounds what it compares by
// c.budget, in elements; pairs beyond that are counted in Skipped, so that a report says how much it has not seen.
func (c *Checker) overtakes(a, b placed) {
	for i := range a.op.Uses {
		x := &a.op.Uses[i]
		var points points // of a's index space; filled when they are needed
		for k := range b.op.Uses {
			y := &b.op.Uses[k]
			// What b writes goes to an instance of its own, or nowhere, so that a may read the old one at any points.
			if a.at == b.at && x.Access == scheduler.Read && b.into != nil && keeps(b.into, y.View) {
				continue
			}
			if x.View.Store != y.View.Store || !x.Access.Writes() && !y.Access.Writes() || !region.Overlap(x.View.Layout(), y.View.Layout()) {
				continue
			}
			if a.at > b.at {
				c.wrong(5, &scheduler.Task{Op: b.op}, "%v runs before %v, which it depends on by %v", b.op.ID, a.op.ID, x.View.Store)
				return
			}
			if a.turn == nil && b.turn == nil && plainlySame(x.View, y.View) {
				continue
			}
			if n := x.View.Elements() + y.View.Elements(); c.budget > 0 && n > c.budget {
				c.Skipped++
				continue
			} else if c.budget > 0 {
				c.budget -= n
			}
			if points.pages == nil {
				points.pages = map[int64]*page{}
				eachElement(x.View, func(at int64, point int) {
					point = a.number(point)
					for k := range int64(x.View.Type.Size()) {
						*points.at(at + k) = point + 1
					}
				})
			}
			told := false
			eachElement(y.View, func(at int64, point int) {
				point = b.number(point)
				for k := range int64(y.View.Type.Size()) {
					if other := *points.at(at + k) - 1; other >= 0 && other != point && !told {
						told = true
						c.wrong(5, &scheduler.Task{Op: b.op}, "%v and %v run as one, but share byte %d of %v at points %d and %d", a.op.ID, b.op.ID, at+k, x.View.Store, other, point)
					}
				}
			})
		}
	}
}

// points says at which point of an index space an operand uses each byte. An element's bytes, and mostly the next
// element's, are in the same page, so that few are looked up.
type points struct {
	pages  map[int64]*page // by the first byte, divided by their length
	number int64           // of the page that was asked for last
	last   *page
}

// page has 1 + the point of each byte; 0 for one that is not used.
type page [64]int

// at returns the place of a byte.
func (p *points) at(b int64) *int {
	number := b / int64(len(p.last))
	if p.last == nil || number != p.number {
		p.number, p.last = number, p.pages[number]
		if p.last == nil {
			p.last = new(page)
			p.pages[number] = p.last
		}
	}
	return &p.last[b%int64(len(p.last))]
}

// plainlySame reports whether two views have the same elements at the same points, for the
// views where that is plain to see. Others are compared byte by byte.
func plainlySame(a, b scheduler.View) bool {
	return a.Type == b.Type && a.Offset == b.Offset && a.Elements() == b.Elements() &&
		(a.Contiguous() && b.Contiguous() || slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Strides, b.Strides))
}

// eachElement calls fn for each element of a view with its first byte and the number of its point in C order. Equal
// points of index spaces that refine each other have equal numbers.
func eachElement(v scheduler.View, fn func(at int64, point int)) {
	for point := range v.Elements() {
		at, rest := v.Offset, point
		for axis := len(v.Shape) - 1; axis >= 0; axis-- {
			at += int64(rest%v.Shape[axis]) * v.Strides[axis]
			rest /= v.Shape[axis]
		}
		fn(at, point)
	}
}

// drop remembers the stores that a part should write and the fused op does not: no op may
// ask for them any more.
func (c *Checker) drop(op, part *scheduler.Op) {
	for _, u := range part.Uses {
		written := !u.Access.Writes()
		for _, v := range op.Uses {
			written = written || v.Access.Writes() && v.View.Store == u.View.Store
		}
		if !written {
			c.dropped[u.View.Store] = part.ID
		}
	}
}
