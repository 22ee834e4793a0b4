package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// Zeros: memory that comes fresh from the system is zero already, and takes up no room in the machine before it is
// written. So np.zeros of much has nothing to do where an instance begins with it (Task.Zeros), and only what the
// program writes becomes resident. Of vast arrays, an op that reads the zeros is not fused with the one that fills,
// which would then have to write them:
//
//	x = zeros        o1: nothing to do
//	y = x + 1        o2: reads pages of zeros
//	x += 1           fused with o1, if nothing stands between: one pass that writes x
//
// Whether memory is fresh is known by who allocates it: the plan says only that zeros would do.

// muchZero is from how many bytes on a store's memory is mapped by itself. Smaller ones get memory that was used
// before.
const muchZero = 1 << 20

// vastZero is from how many bytes on the op that fills is kept apart. Below, memory that is used again is the rule,
// where one pass that writes the zeros and reads nothing takes two thirds of the time.
const vastZero = 64 << 20

// fillsZeros reports whether an op does nothing but fill much memory with zeros.
func fillsZeros(op *scheduler.Op, st *store) bool {
	if op.Kind != scheduler.Fill || st.size < muchZero || len(op.Uses) != 1 || len(op.Uniforms) != 1 || op.Uniforms[0].Bits != [2]uint64{} {
		return false
	}
	code := op.Program.Code
	return len(code) == 2 && code[0].Op == tile.Uniform && code[1].Op == tile.Store
}

// fills reports whether an op fills all of a vast store with zeros, which has no memory yet.
func (e *entry) fills() bool {
	if len(e.uses) != 1 {
		return false
	}
	u := &e.uses[0]
	if u.store.size < vastZero || !fillsZeros(e.op, u.store) || !u.dense || u.bytes != (region.Interval{Hi: u.store.size}) {
		return false
	}
	return u.store.bare()
}

// bare reports whether a store has no memory yet.
func (st *store) bare() bool {
	for _, inst := range st.at {
		if inst != nil {
			return false
		}
	}
	return true
}

// zeroes notes whether a tile writes zeros where nothing was written before: begins has noted who writes first.
func (n *node) zeroes() bool {
	if len(n.uses) != 1 || !fillsZeros(n.Op, n.uses[0].store) {
		return false
	}
	inst := n.uses[0].inst
	return inst.first == n.Op.ID && !inst.filled && !n.uses[0].renew
}
