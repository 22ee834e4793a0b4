package routines

import (
	"math/cmplx"
	"sync"
)

// bluestein writes jk as (j² + k² - (k-j)²)/2, which makes a convolution of the transform.
type bluestein struct {
	plans   *Plans
	chirp   []complex128 // exp(-i pi k²/n)
	filter  []complex128 // transform of the chirp's conjugate
	scratch sync.Pool    // of *[]complex128
}

func newBluestein(p *Plans, n int) *bluestein {
	m := 1
	for m < 2*n-1 {
		m *= 2
	}
	b := &bluestein{plans: p, chirp: make([]complex128, n), filter: make([]complex128, m)}
	filter := make([]complex128, m)
	for k := range b.chirp {
		b.chirp[k] = rootOf(2*n, k*k) // exact also for large k
		filter[k] = cmplx.Conj(b.chirp[k])
		if k > 0 {
			filter[m-k] = filter[k]
		}
	}
	p.of(m).rows(Serial, b.filter, filter, 1, false, 1/float64(m))
	return b
}

func (b *bluestein) alone() bool { return true }

func (b *bluestein) bytes() int { return 16 * (len(b.chirp) + len(b.filter)) }

// together is how many points of convolutions are transformed at once: enough rows for all processors.
const together = 1 << 18

// rows transforms rows of n points.
func (b *bluestein) rows(par Parallel, dst, src []complex128, of int, inverse bool, scale float64) {
	n, m := len(b.chirp), len(b.filter)
	inner := b.plans.of(m)
	rows := min(max(together/m, 1), len(src)/n)
	room, _ := b.scratch.Get().(*[]complex128)
	if room == nil || len(*room) < rows*m {
		made := make([]complex128, rows*m)
		room = &made
	}
	defer b.scratch.Put(room)
	for ; len(src) > 0; src, dst = src[rows*n:], dst[rows*n:] {
		rows = min(rows, len(src)/n)
		one := (*room)[:rows*m]
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				b.chirped(one[r*m:(r+1)*m], src[r*n:(r+1)*n], inverse)
			}
		})
		inner.rows(par, one, one, of, false, 1)
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				row := one[r*m : (r+1)*m]
				for k, z := range row {
					row[k] = z * b.filter[k]
				}
			}
		})
		inner.rows(par, one, one, of, true, 1)
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				b.unchirped(dst[r*n:(r+1)*n], one[r*m:], inverse, scale)
			}
		})
	}
}

// chirped fills the input of a row's convolution.
func (b *bluestein) chirped(one, src []complex128, inverse bool) {
	clear(one[len(src):])
	for k, z := range src {
		if inverse {
			z = cmplx.Conj(z)
		}
		one[k] = z * b.chirp[k]
	}
}

// unchirped reads a row of the result off its convolution.
func (b *bluestein) unchirped(dst, one []complex128, inverse bool, scale float64) {
	for k := range dst {
		z := one[k] * b.chirp[k]
		if inverse {
			z = cmplx.Conj(z)
		}
		dst[k] = complex(real(z)*scale, imag(z)*scale)
	}
}
