package core

import (
	"slices"

	"weft/scheduler/region"
)

// combs is the part of a history that leaves gaps: one use after the other, as far as later
// tasks may have to wait for it. A write takes the bytes that it overwrites out of what others
// did before it, because it waited for them.
//
//	after t1 writes columns [0,4), t2 columns [4,8):     t1 w [0,4) x5/8    t2 w [4,8) x5/8
//	after t3 writes columns [2,6):                       t1 w [0,2) x5/8    t2 w [6,8) x5/8    t3 w [2,6) x5/8
type combs struct {
	uses  []combUse
	limit int // uses at which to look for some that are completed; doubles
}

// combUse is what a task did with some bytes.
type combUse struct {
	bytes region.Comb
	n     *node
	group uint32
	write bool
}

// besides returns what is kept beside the segments.
func (h *history) besides() *combs {
	if h.combs == nil {
		h.combs = new(combs)
	}
	return h.combs
}

// collect calls need for every task that a use must wait for.
//
// It looks at each use in turn: combs lie between each other, and have no order in which one could search.
func (h *combs) collect(u *use, write bool, need func(*node)) {
	bytes := u.footprint()
	for i := range h.uses {
		x := &h.uses[i]
		if (write || x.write) && x.n.state != completed && x.bytes.Overlaps(bytes) {
			need(x.n)
		}
	}
}

// wrote records a write, and forgets what other groups did with its bytes.
func (h *combs) wrote(u *use, n *node, group uint32) {
	h.forget(u.footprint(), group)
	if u.comb != nil {
		h.add(combUse{*u.comb, n, group, true})
	}
}

// forget takes bytes out of what other groups did. Where they lie in rows of another length
// it leaves them in: to wait for too much is no error.
func (h *combs) forget(bytes region.Comb, group uint32) {
	var few [8]region.Comb
	n := len(h.uses)
	for i := 0; i < n; {
		x := h.uses[i]
		if x.group == group || !x.bytes.Fits(bytes) || !x.bytes.Overlaps(bytes) {
			i++
			continue
		}
		left := x.bytes.Subtract(bytes, few[:0])
		n--
		h.uses[i] = h.uses[n]
		h.uses = slices.Delete(h.uses, n, n+1)
		for _, rest := range left {
			h.uses = append(h.uses, combUse{rest, x.n, x.group, x.write})
		}
	}
}

// add appends a use.
func (h *combs) add(x combUse) {
	if len(h.uses) >= max(h.limit, 16) {
		h.uses = slices.DeleteFunc(h.uses, func(x combUse) bool { return x.n.state == completed })
		h.limit = 2 * len(h.uses)
	}
	h.uses = append(h.uses, x)
}
