package fuse

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// Window is what Decide looks at: a window of the op stream in which stores are positions, so that windows that differ
// in nothing but which stores they name are the same to it.
//
// Its ops are the core's, which Decide reads and never changes. Positions of stores are given in the order in
// which the window names them first, as the signature numbers them.
type Window struct {
	Entries []Entry
	Stores  []Store

	// Apart says that ops join only what they depend on.
	Apart bool

	// Renew is the size from which on a store may be renewed; those that one op renews may take RenewRoom bytes
	// together, each of them a multiple of RenewGrain.
	Renew, RenewRoom, RenewGrain int64
}

// Entry is one position of the window: an op, or the release of a store.
type Entry struct {
	Op    *scheduler.Op // nil: Release is released
	Uses  []Use         // in the order of Op.Uses
	Block []int         // reduction blocks; nil unless the op reduces
	Empty bool          // there is nothing to compute
	Flows bool          // the program has control flow
	Zeros bool          // it fills a store with zeros before anything else uses it

	Release int32 // instead of an op
}

// Use is what an op does with the bytes of one store.
//
// Bytes is the span from the first byte to behind the last one. Two uses whose spans are apart share nothing; else
// the views of Op.Uses decide.
type Use struct {
	Store       int32 // position among the window's
	Bytes       region.Interval
	Dense       bool // the elements cover all bytes
	Read, Write bool
}

// Store is what matters of a store.
type Store struct {
	Size   int64
	Pinned bool // the host has its address: it is not renewed
}
