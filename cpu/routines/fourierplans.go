package routines

import (
	lru "container/list"
	"sync"
)

// Plans keep what transforms of a length need, tables of roots above all, for the lengths that came last: making them
// takes several times as long as a transform. They may be used by several goroutines at once.
type Plans struct {
	most int // bytes of tables that are kept

	mu    sync.Mutex
	bytes int
	order *lru.List // of *plan: the newest first
	known map[plans]*lru.Element
}

// plans names tables: those of a transform of n points, or of what makes one of n real numbers of one of pairs.
type plans struct {
	n    int
	real bool
}

// PlanBytes are enough for a few lengths of 1e6 points.
const PlanBytes = 32 << 20

type plan struct {
	of plans
	tables
}

type tables interface {
	bytes() int
}

// NewPlans keeps so many bytes of tables.
func NewPlans(most int) *Plans {
	return &Plans{most: most, order: lru.New(), known: map[plans]*lru.Element{}}
}

// of returns the transform of n points.
func (p *Plans) of(n int) transform {
	return p.find(plans{n: n}, func() tables { return newTransform(p, n) }).(transform)
}

func (p *Plans) halfTurns(n int) *halfTurns {
	return p.find(plans{n: n, real: true}, func() tables { return newHalfTurns(n) }).(*halfTurns)
}

func (p *Plans) find(of plans, build func() tables) tables {
	if t := p.look(of); t != nil {
		return t
	}
	made := build() // outside the lock: another goroutine may make the same
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[of] != nil || made.bytes() > p.most {
		return made
	}
	p.known[of] = p.order.PushFront(&plan{of, made})
	p.bytes += made.bytes()
	for p.bytes > p.most {
		last := p.order.Remove(p.order.Back()).(*plan)
		delete(p.known, last.of)
		p.bytes -= last.bytes()
	}
	return made
}

func (p *Plans) look(of plans) tables {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.known[of]
	if e == nil {
		return nil
	}
	p.order.MoveToFront(e)
	return e.Value.(*plan).tables
}

// Fourier transforms each row (the last axis) of x, complex128 or float64, to a row of out, complex128 of the same
// shape, and multiplies by scale. The inverse has the other sign in the exponent.
func (p *Plans) Fourier(par Parallel, x, out Packed, inverse bool, scale float64) {
	n, dst := rowLength(x.Shape), as[complex128](out.Data)
	switch {
	case len(dst) == 0:
	case out.Type == x.Type:
		p.of(n).rows(par, dst, as[complex128](x.Data), len(dst)/n, inverse, scale)
	default:
		p.whole(par, n, dst, as[float64](x.Data), inverse, scale)
	}
}
