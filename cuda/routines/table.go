package routines

import (
	"fmt"
	"strings"
	"sync"

	"weft/tile"
)

// row is a routine of the table. Where it has no plan, the host runs it.
type row struct {
	operands int                          // how many; -1 for any number
	host     func(p *tile.Program) string // why the host runs the routine for a program; "" where it does not
	plan     func(s *plan) (*tile.Launch, error)
}

// onHost is a row of a routine that the host runs.
func onHost(why string) row { return row{-1, func(*tile.Program) string { return why }, nil} }

// table has a row for each routine of the CPU's table but those of linear algebra, and those that combine.
var table = map[string]row{
	"sort":          {2, sorting, sort},
	"argsort":       {2, sorting, sort},
	"searchsorted":  {3, ordered, searchsorted},
	"position":      {3, compared, position},
	"extremes":      {2, nil, extremes},
	"beyond":        {2, nil, beyond},
	"take_along":    {3, nil, takeAlong},
	"gather":        {-1, nil, gather},
	"scatter":       {-1, nil, scatter},
	"bincount":      {-1, unweighted, bincount},
	"histogram":     {-1, unweightedHistogram, histogram},
	"unique":        {-1, apartOnHost, unique},
	"interp":        {4, nil, interp},
	"nonzero":       {-1, nil, nonzero},
	"expand":        {3, nil, expand},
	"compress":      {3, nil, compress},
	"scan.add":      {2, nil, scan},
	"scan.multiply": {2, nil, scan},
	"scan.maximum":  {2, nil, scan},
	"scan.minimum":  {2, nil, scan},

	"fft":   onHost("GPUs have no Fourier transforms"),
	"rfft":  onHost("GPUs have no Fourier transforms"),
	"irfft": onHost("GPUs have no Fourier transforms"),
}

// find returns the row of a routine.
func find(routine string) (row, bool) {
	if strings.HasPrefix(routine, "scatter.") {
		return row{-1, combined, combine}, true
	}
	r, ok := table[routine]
	return r, ok
}

// Lacks returns why the host runs a program that is a named routine; "" where there is a Routine for it.
func Lacks(p *tile.Program) string {
	r, ok := find(p.Routine)
	switch {
	case strings.HasPrefix(p.Routine, "linalg."):
		return "linear algebra is the host's library's"
	case !ok:
		return "GPUs have no such routine"
	case r.host == nil:
		return ""
	}
	return r.host(p)
}

// Routine is a named routine for the dtypes and attributes of a program.
type Routine struct {
	p    *tile.Program
	plan func(s *plan) (*tile.Launch, error)

	mu    sync.Mutex
	built map[string]*tile.Program
}

// Find returns the routine that a program is.
func Find(p *tile.Program) (*Routine, error) {
	if why := Lacks(p); why != "" {
		return nil, fmt.Errorf("routine %s: %s", p.Routine, why)
	}
	r, _ := find(p.Routine)
	if r.operands >= 0 && len(p.Params) != r.operands {
		return nil, fmt.Errorf("routine %s: it has %d operands; want %d", p.Routine, len(p.Params), r.operands)
	}
	return &Routine{p: p, plan: r.plan, built: map[string]*tile.Program{}}, nil
}

// BlockThreads are those of a block on a GPU. A multiprocessor has room for one of these whatever registers its kernel
// takes, so that blocks which meet are all under way.
const BlockThreads = tile.MaxBlockThreads

// ScratchBytes is the most scratch memory that a launch has.
const ScratchBytes = 8 * scratchWords

// Site is what a routine has to know of the device that is to run it.
type Site struct {
	Blocks  int // how many blocks of Threads threads it has under way together
	Threads int // a power of two, of a warp's or more

	// Scratch returns memory that is the launch's own while it runs.
	Scratch func(bytes int64) (tile.Buffer, error) // of at most ScratchBytes
}

// Launch returns the launch of threads that does what a checked launch of the routine is to do. Its program is the same
// one for launches alike; the caller compiles it.
func (r *Routine) Launch(l *tile.Launch, s Site) (*tile.Launch, error) {
	made, err := r.plan(&plan{r: r, l: l, site: s})
	if err != nil {
		return nil, fmt.Errorf("routine %s: %w", r.p.Routine, err)
	}
	made.Stop, made.Turn = l.Stop, l.Turn
	return made, nil
}
