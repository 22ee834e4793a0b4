package cuda

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"weft/cuda/libraries"
	"weft/cuda/ptx"
	"weft/tile"
)

// multiplier is the device's library for products of matrices. It is loaded, by a goroutine of its own, for the first
// product that it could compute: that takes a second. Where there is none, a kernel computes products.
type multiplier struct {
	open    func() (*libraries.Blas, error) // nil is none
	start   sync.Once
	ready   chan struct{} // closed when the rest is final
	settled atomic.Bool
	handle  *libraries.Handle
	err     error
}

// begin makes the handle for the device's queue of launches, unless that has begun.
func (m *multiplier) begin(d *Device) {
	m.start.Do(func() {
		d.modules.compiling.Go(func() {
			defer close(m.ready)
			defer m.settled.Store(true)
			var blas *libraries.Blas
			if blas, m.err = m.open(); m.err != nil {
				return
			}
			m.err = d.dev.Within(func() (err error) {
				m.handle, err = blas.Handle(d.queues[computes].stream.Handle())
				return err
			})
		})
	})
}

// use reports whether the library is there, once it is known; its error is of a library that the user named.
func (m *multiplier) use() (bool, error) {
	var named *libraries.NamedError
	if errors.As(m.err, &named) {
		return false, m.err
	}
	return m.err == nil, nil
}

func (m *multiplier) close(d *Device) error {
	if m.handle == nil {
		return nil
	}
	return d.dev.Within(m.handle.Close)
}

// libraryProduct is a launch that the library can compute: a product for each block of k and each point of the axes
// that are neither rows nor columns, but for one of them, along which the library has the products together.
type libraryProduct struct {
	is     libraries.Product // without addresses
	params [3]int            // which parameters are the factors and the result
	loops  []loop            // the last one is over blocks of k
	last   int               // elements of the last of these
	size   uint64
}

// loop is an axis with the bytes between its points, of each factor and the result.
type loop struct {
	n     int
	steps [3]int64
}

// numbers are what the library multiplies.
var numbers = map[tile.DType]libraries.Number{
	tile.Float32: libraries.Single, tile.Float64: libraries.Double, tile.Complex64: libraries.SingleComplex, tile.Complex128: libraries.DoubleComplex,
}

// planLibrary returns how the library computes a launch of which the products form has been planned; nil where it
// cannot. BLAS knows matrices by columns, which lie side by side or a step apart; of a result by rows it computes the
// transpose, from the factors' transposes in the other order.
func planLibrary(p *tile.Program, s *ptx.Space) *libraryProduct {
	a, b, out, plain := ptx.Factors(p)
	number, known := numbers[p.Params[out].Type]
	if !plain || !known {
		return nil
	}
	size, k := int64(p.Params[out].Type.Size()), len(s.Shape)-1
	made := &libraryProduct{params: [3]int{a, b, out}, size: uint64(size)}
	for _, param := range made.params {
		for _, stride := range s.Strides[param] {
			if stride%size != 0 {
				return nil
			}
		}
	}
	down, across := k-2, k-1 // of what the library takes for the result
	if s.Strides[out][down] != size {
		made.params[0], made.params[1] = b, a
		down, across = across, down
	}
	if s.Strides[out][down] != size {
		return nil
	}
	matrix := func(param, rows, columns int) libraries.Matrix {
		strides := s.Strides[param]
		if strides[rows] == size {
			return libraries.Matrix{Leading: int(strides[columns] / size)}
		}
		return libraries.Matrix{Leading: int(strides[rows] / size), Turned: true}
	}
	made.is = libraries.Product{
		Type: number, M: s.Shape[down], N: s.Shape[across], K: min(s.Shape[k], s.Block[k]), Batch: 1,
		A: matrix(made.params[0], down, k), B: matrix(made.params[1], k, across), C: matrix(out, down, across),
	}
	steps := func(axis int) (by [3]int64) {
		for i, param := range made.params {
			by[i] = s.Strides[param][axis]
		}
		return by
	}
	for i, m := range []struct {
		*libraries.Matrix
		rows, columns int
	}{{&made.is.A, down, k}, {&made.is.B, k, across}, {&made.is.C, down, across}} {
		near := m.rows
		if m.Turned {
			near = m.columns
		}
		if s.Strides[made.params[i]][near] != size {
			return nil
		}
	}
	for axis := range k - 2 {
		if by := steps(axis); s.Shape[axis] > 1 && made.is.Batch == 1 {
			made.is.Batch = s.Shape[axis]
			made.is.A.Apart, made.is.B.Apart, made.is.C.Apart = by[0]/size, by[1]/size, by[2]/size
		} else {
			made.loops = append(made.loops, loop{s.Shape[axis], by})
		}
	}
	by, n := steps(k), s.Shape[k]
	blocks := (n + s.Block[k] - 1) / s.Block[k]
	by[0], by[1] = by[0]*int64(s.Block[k]), by[1]*int64(s.Block[k])
	made.loops = append(made.loops, loop{blocks, by})
	made.last = n - (blocks-1)*s.Block[k]
	if !made.is.Fits() {
		return nil
	}
	return made
}

// at returns the addresses of the launch's factors and of its result; false where they are no multiples of an element.
func (p *libraryProduct) at(l *tile.Launch) (at [3]uint64, ok bool) {
	for i, param := range p.params {
		at[i] = l.Args[param].Buffer.Handle + uint64(l.Args[param].Offset)
		if at[i]%p.size != 0 {
			return at, false
		}
	}
	return at, true
}

// multiply appends a launch's products to the device's queue.
func (m *multiplier) multiply(d *Device, p *libraryProduct, l *tile.Launch) error {
	first, _ := p.at(l)
	place := make([]int, len(p.loops))
	blocks := len(place) - 1
	return d.dev.Within(func() error {
		for more := true; more; {
			one, at := p.is, first
			for i, c := range place {
				for side, step := range p.loops[i].steps {
					at[side] += uint64(int64(c) * step)
				}
			}
			one.A.At, one.B.At, one.C.At = at[0], at[1], at[2]
			if place[blocks] == p.loops[blocks].n-1 {
				one.K = p.last
			}
			if err := m.handle.Multiply(&one); err != nil {
				return fmt.Errorf("program %q: %w", l.Program.Name, err)
			}
			more = false
			for i := range place {
				if place[i]++; place[i] < p.loops[i].n {
					more = true
					break
				}
				place[i] = 0
			}
		}
		return nil
	})
}
