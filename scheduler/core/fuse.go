package core

import (
	"math"

	"weft/internal/invariants"
	"weft/internal/lru"
	"weft/scheduler/fuse"
)

// fusing is what fuseWindow remembers.
type fusing struct {
	fuser     *fuse.Fuser
	templates *lru.Cache[string, *fuse.Template] // by the window's signature
	key       []byte                             // of windows
	seen      uint64                             // the window that signature looks at
	made      made                               // replay's
	window    []entry                            // the other of the two windows
	counts    Fusion
}

// fuseWindow is the pass that makes one op of several: package fuse decides, once for each signature (signature.go),
// and the window is replaced by what the template of that signature comes to (replay.go).
func fuseWindow(c *Core) {
	if c.opt.NoFusion || c.ops < 2 {
		return
	}
	apart := c.rooms[0].capacity > 0 && c.crowded(0)
	key := c.signature(apart)
	t, known := lru.GetBytes(c.fusing.templates, key)
	if known {
		c.fusing.counts.Replayed++
		if c.opt.Recapture || invariants.Enabled {
			c.recapture(apart, t)
		}
	} else {
		t = c.fusing.fuser.Decide(c.fusible(apart))
		c.fusing.templates.Add(string(key), t, t.Bytes()+int64(len(key)))
		c.fusing.counts.Captured++
	}
	c.plan.Template, c.plan.Replayed = t, known
	c.replay(t)
}

// templateBytes bounds what is remembered of templates. A window of 64 ops takes some 40 kB with its programs, so that
// a loop may have some 800.
const templateBytes = 32 << 20

// recapture makes sure of inv 8.
func (c *Core) recapture(apart bool, known *fuse.Template) {
	if fresh := c.fusing.fuser.Decide(c.fusible(apart)); fresh.String() != known.String() {
		panic(invariants.Broken(8, "a window is captured as\n%vand remembered as\n%v", fresh, known))
	}
}

// renewedPart is the part of a GPU's memory that the stores which one op renews may take: with their new instances they
// leave enough for the largest tiles that fit cuts.
const renewedPart = 16

// fusible returns the window as package fuse sees it, with stores by the numbers that signature gave them.
func (c *Core) fusible(apart bool) *fuse.Window {
	w := &fuse.Window{Entries: make([]fuse.Entry, len(c.window)), Apart: apart, Renew: c.opt.Renew}
	switch { // on several GPUs no store is renewed
	case len(c.machine.Memories) == 1:
		w.RenewRoom = math.MaxInt64
	case c.solo:
		r := &c.rooms[c.machine.Devices[c.runners[0]].Memory]
		w.RenewRoom, w.RenewGrain = math.MaxInt64, r.grain
		if r.capacity > 0 {
			w.RenewRoom = r.capacity / renewedPart
		}
	}
	number := func(st *store) int32 {
		n := int32(st.number) - 1
		for int(n) >= len(w.Stores) {
			w.Stores = append(w.Stores, fuse.Store{})
		}
		w.Stores[n] = fuse.Store{Size: st.size, Pinned: st.pinned}
		return n
	}
	for i := range c.window {
		e, to := &c.window[i], &w.Entries[i]
		if e.op == nil {
			to.Release = number(e.release)
			continue
		}
		*to = fuse.Entry{Op: e.op, Uses: make([]fuse.Use, len(e.uses)), Block: e.block, Empty: e.empty, Flows: e.flows, Zeros: e.zeros}
		for k := range e.uses {
			u := &e.uses[k]
			to.Uses[k] = fuse.Use{Store: number(u.store), Bytes: u.bytes, Dense: u.dense, Read: u.read, Write: u.write}
		}
	}
	return w
}

// Fusion says what fuse has done so far.
type Fusion struct {
	Fused              int64 // ops that became part of another
	Replayed, Captured int64 // windows that came to the template of an earlier one, and whose own had to be found
}
