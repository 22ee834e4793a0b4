package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

type ranges = []region.Interval

// entry is one position of the op stream: an op, or the release of a store.
//
// Who fills in what:
//
//	op uses block empty flows work     check, at submission, or checkForm
//	zeros                              signature
//	tiles colors                       partition
//	onHost cold                        partition: small.go, fit.go; renewing
//	uses[i].renew                      replay of what fuse decided
//	uses[i].inst                       place
type entry struct {
	op     *scheduler.Op
	uses   []use    // of the whole op, in the order of Op.Uses
	block  []int    // reduction blocks; nil unless the op reduces
	empty  bool     // there is nothing to compute
	colors int      // of the grid that the op is cut into
	flows  bool     // the program has control flow
	onHost bool     // the CPUs run it: it is small, or its kernel is compiled meanwhile, or no GPU has room for its tiles
	cold   bool     // its kernel is compiled meanwhile
	zeros  bool     // it fills a store with zeros before anything else uses it; see zeros.go
	work   int64    // what it costs, in the unit of Options.Inline
	tiles  []*node  // partition's result
	tile   [1]*node // where tiles begins: most ops have one

	release *store // instead of an op
}

// use is what a task does with the bytes of one store.
//
// bytes is the hull, in bytes of the store. comb is nil for most uses; then bytes says all that is known, and dense
// whether there are gaps in it.
type use struct {
	store *store
	inst  *instance // set by place
	bytes region.Interval
	comb  *region.Comb // where bytes is its hull; nil where nothing is gained by leaving gaps out
	dense bool         // the elements cover all bytes of the comb, or of the interval
	read  bool         // the values from before are needed; of a write: it is an update
	write bool
	renew bool // the write goes to a new instance
}

// footprint returns the bytes as a comb.
func (u *use) footprint() region.Comb {
	if u.comb != nil {
		return *u.comb
	}
	return u.bytes.Comb()
}
