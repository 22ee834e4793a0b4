package cpu

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"weft/cpu/lockstep"
	"weft/tile"
)

// What guarded launches of threads keep besides: marks of who did what to which grain of a memory, and whether anything
// has written it (cpu/lockstep/shadow.h). Blocks of such a launch run one after the other.

// guards is what a guarded launch keeps, outside of the Go heap.
type guards struct {
	params []marks // by parameter
	shared marks   // of all shared bytes of a block; nothing has written them when it begins
	own    unsafe.Pointer
	owned  int64
	fenced unsafe.Pointer // by thread of the grid; nil if none has a fence
	votes  bool
	chains *lockstep.Chains // where threads have fences or vote
	all    []unsafe.Pointer
}

// marks is what is kept of a memory.
type marks struct {
	shade, written unsafe.Pointer
	grain          int64 // its bytes' logarithm
	grains         int64
}

// extent is where the elements of a parameter are.
type extent struct {
	param  int
	lo, hi uintptr
}

// guard prepares a guarded launch, whose memories are at the frame's bases.
func (g *gridRun) guard(f *frame) (*guards, error) {
	k := &guards{params: make([]marks, len(g.l.Args))}
	if n := g.blocks * int64(g.threads); n >= math.MaxUint32 {
		return nil, fmt.Errorf("cpu: launch of %s: %d threads; guarded launches have at most %d", g.l.Program.Name, n, uint32(math.MaxUint32)-1)
	}
	var err error
	zeros := func(n int64) unsafe.Pointer {
		p := lockstep.Zeros(n)
		if p == nil && err == nil {
			err = fmt.Errorf("cpu: launch of %s: there is no memory for the %d bytes that say who did what; give it smaller arrays, or leave its guards out", g.l.Program.Name, n)
		}
		k.all = append(k.all, p)
		return p
	}
	for _, group := range g.overlapping(f) {
		writes, clean, grain, hi := false, true, uint64(0), uintptr(0)
		for _, x := range group {
			b, param := &g.l.Args[x.param], &g.l.Program.Params[x.param]
			writes = writes || param.Dir.Writes()
			clean = clean && param.Dir == tile.Out
			hi = max(hi, x.hi)
			grain |= uint64(param.Type.Size()) | uint64(uintptr(f.base[x.param])+uintptr(b.Offset)-group[0].lo)
			for _, stride := range b.Strides {
				grain |= uint64(stride)
			}
		}
		if !writes {
			continue
		}
		m := marks{grain: int64(bits.TrailingZeros64(grain))}
		m.grains = int64(hi-group[0].lo) >> m.grain
		m.shade = zeros(m.grains * lockstep.ShadeSize)
		if clean {
			m.written = zeros(m.grains)
		}
		for _, x := range group {
			at := int64(uintptr(f.base[x.param])+uintptr(g.l.Args[x.param].Offset)-group[0].lo) >> m.grain
			k.params[x.param] = m.from(at)
		}
	}
	if n := g.static + g.l.Grid.Dynamic; n > 0 {
		grain := uint64(16)
		for i := range g.l.Program.Scratch {
			if s := &g.l.Program.Scratch[i]; s.Space == tile.Shared {
				grain |= uint64(s.Type.Size())
			}
		}
		k.shared.grain = int64(bits.TrailingZeros64(grain))
		k.shared.grains = n >> k.shared.grain
		k.shared.shade, k.shared.written = zeros(k.shared.grains*lockstep.ShadeSize), zeros(k.shared.grains)
	}
	if k.owned = int64(g.ownBytes()); k.owned > 0 {
		k.own = zeros(k.owned)
	}
	has := func(kind int32) bool {
		return slices.ContainsFunc(g.code.steps, func(s lockstep.Step) bool { return s.Kind == kind })
	}
	if has(lockstep.Fence) {
		k.fenced = zeros(g.blocks * int64(g.threads) * 4)
	}
	if k.votes = has(lockstep.Vote); k.votes || k.fenced != nil {
		if k.chains = lockstep.NewChains(g.blocks*int64(g.threads), g.chained()); k.chains == nil {
			err = cmp.Or(err, g.unmarked())
		}
	}
	if err != nil {
		k.free()
	}
	return k, err
}

// mostChained is how many bytes the chains of marks of a launch take at most where the device has no limit of its own:
// those of 64 Mi accesses.
const mostChained = 1 << 30

// chained is how many bytes the chains of marks take at most: a quarter of what arrays may have.
func (g *gridRun) chained() int64 {
	if g.x.memory > 0 {
		return min(g.x.memory/4, mostChained)
	}
	return mostChained
}

// unmarked is the error of a launch for whose marks there is no memory.
func (g *gridRun) unmarked() error {
	return fmt.Errorf("cpu: launch of %s: there is no memory for what says who did what; give it fewer threads, or leave its guards out", g.l.Program.Name)
}

// watch has a row of so many lanes keep what they know of each other.
func (k *guards) watch(row *lockstep.Row, a *arena, lanes int) {
	row.Note, row.Place = start(carve[byte](a, lockstep.Notes*lockstep.NoteSize)), start(carve[int64](a, lockstep.Notes))
	row.Fenced, row.Chains = k.fenced, k.chains
	if k.votes {
		row.Voted = start(zeroed[[lockstep.VotedSize]byte](a, lanes))
	}
	if k.fenced != nil {
		row.FencedIn = start(zeroed[uint32](a, lanes))
	}
}

func zeroed[T any](a *arena, n int) []T {
	all := carve[T](a, n)
	clear(all)
	return all
}

// from is what is kept from a grain on.
func (m marks) from(at int64) marks {
	if m.shade != nil {
		m.shade = unsafe.Add(m.shade, at*lockstep.ShadeSize)
	}
	if m.written != nil {
		m.written = unsafe.Add(m.written, at)
	}
	return m
}

// overlapping returns the parameters that have elements, in groups whose extents overlap, each from the lowest on.
func (g *gridRun) overlapping(f *frame) (groups [][]extent) {
	var all []extent
	for i := range g.l.Args {
		b := &g.l.Args[i]
		if slices.Contains(b.Shape, 0) {
			continue
		}
		lo, hi := int64(0), int64(g.l.Program.Params[i].Type.Size())
		for axis, n := range b.Shape {
			by := int64(n-1) * b.Strides[axis]
			lo, hi = lo+min(by, 0), hi+max(by, 0)
		}
		at := uintptr(f.base[i]) + uintptr(b.Offset)
		all = append(all, extent{i, at + uintptr(lo), at + uintptr(hi)})
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.lo, b.lo) })
	end := uintptr(0)
	for i, x := range all {
		if i == 0 || x.lo >= end {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], x)
		end = max(end, x.hi)
	}
	return groups
}

// guardMemory has a memory be looked after.
func guardMemory(m *lockstep.Memory, k marks) {
	m.Shade, m.Written, m.Grain = k.shade, k.written, k.grain
}

// end gives back the links that a block's own chains have.
func (k *guards) end() { k.chains.Unlink(k.shared.shade, k.shared.grains) }

// begin forgets what the block before has written to what was its own. Its marks are those of a time before.
func (k *guards) begin() {
	wipe := func(p unsafe.Pointer, n int64) {
		if p != nil {
			clear(unsafe.Slice((*byte)(p), n))
		}
	}
	wipe(k.shared.written, k.shared.grains)
	wipe(k.own, k.owned)
}

// each calls f for all bytes that say what a block has done to its own, with as many of those where they are kept.
func (k *guards) each(r *lockstep.Row, kept *[]byte, f func(guard, kept []byte)) {
	type piece struct {
		p unsafe.Pointer
		n int64
	}
	pieces := []piece{{k.shared.shade, k.shared.grains * lockstep.ShadeSize}, {k.shared.written, k.shared.grains}, {k.own, k.owned},
		{r.Voted, lockstep.VotedSize * r.Lanes}, {r.FencedIn, 4 * r.Lanes}}
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.p == nil })
	total := int64(0)
	for _, piece := range pieces {
		total += piece.n
	}
	if *kept == nil {
		*kept = make([]byte, total)
	}
	at := int64(0)
	for _, piece := range pieces {
		f(unsafe.Slice((*byte)(piece.p), piece.n), (*kept)[at:at+piece.n])
		at += piece.n
	}
}

func (k *guards) free() {
	k.chains.Free()
	for _, p := range k.all {
		lockstep.Free(p)
	}
}
