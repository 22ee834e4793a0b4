package linalg

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
	"unsafe"

	"weft/cpu/blas"
)

// factors remembers the factorisations of matrices by which systems were solved, because programs that step through
// time solve with one matrix again and again, and all but the first factorisations are the work of n^3 for nothing:
//
//	for _ in range(steps):
//	    u = np.linalg.solve(a, b @ u)
//
// A factorisation is used where all bytes of the matrix are those of the copy that was kept with it, which costs n^2:
// nothing has to say that a matrix was written to. It is the same that would be made, so that the results are, too.
// What to keep is decided by what was seen:
//
//	first time     a sample of the elements is remembered
//	second time    the sample is known: the matrix and its factorisation are kept
//	from then on   the matrix is compared; one that differs in spite of its sample is forgotten, and none of that sample kept again
//
// so that a program that solves each system once pays for the samples alone.
type factors struct {
	mu    sync.Mutex
	known []*factored // the one used last stands first
	seed  maphash.Seed
	bytes int // of the matrices and factorisations that are kept
	used  int // how often one was, for tests
}

const (
	fewestRows  = 48       // below, a factorisation costs no more than to look for one
	mostKnown   = 8        // samples
	mostKept    = 64 << 20 // bytes: a matrix of 2,000 rows with its factorisation
	samplePoint = 61       // elements of a sample, about; prime, so that it does not fall in with rows
)

// factored is one matrix. What follows state is of the one that makes it until that is kept, and constant from then on.
type factored struct {
	sample uint64
	state  int
	users  int // who read it now; with mu held
	memory blas.Memory
	bytes  int
	matrix []byte // as it lies in the operand
	lu     matrix
	pivots unsafe.Pointer
}

const (
	seen = iota
	making
	kept
	differs // a matrix of this sample was kept, and another one came
)

func newFactors() *factors { return &factors{seed: maphash.MakeSeed()} }

// dense returns the bytes of a matrix whose elements lie side by side in either order, else nil.
func (m *matrix) dense() []byte {
	if m.rows != m.columns || m.size == 0 || !(m.right == m.size && m.down == m.size*m.columns || m.down == m.size && m.right == m.size*m.rows) {
		return nil
	}
	return unsafe.Slice((*byte)(m.p), m.rows*m.columns*m.size)
}

// sampleOf sums up some elements, the size, the type and the order of a matrix.
func (f *factors) sampleOf(j *job, a *matrix, all []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	h.WriteByte(j.letter)
	maphash.WriteComparable(&h, [2]int{a.rows, a.down})
	n := len(all) / a.size
	step := n/samplePoint | 1
	for i := 0; i < n; i += step {
		h.Write(all[i*a.size : (i+1)*a.size])
	}
	h.Write(all[(n-1)*a.size:])
	return h.Sum64()
}

// of returns a factorisation of a, which the caller gives back with done: one that is known, or one that is made and
// kept. It is nil where there is none to keep, and an error where there can be none.
func (f *factors) of(j *job, a *matrix) (*factored, error) {
	all := a.dense()
	if a.rows < fewestRows || all == nil || 2*len(all) > mostKept {
		return nil, nil
	}
	x, makes := f.look(f.sampleOf(j, a, all))
	if x == nil {
		return nil, nil
	}
	if makes {
		info, err := x.make(j, a, all)
		f.made(x, err == nil && info == 0)
		if err == nil && info != 0 {
			err = fault("Singular matrix")
		}
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	if bytes.Equal(all, x.matrix) {
		return x, nil
	}
	f.forget(x)
	return nil, nil
}

// look returns what is kept under a sample, or makes is set and it is for the caller to make. The caller counts as one
// of its users. It is nil for what is seen for the first time, or not to be kept.
func (f *factors) look(sample uint64) (x *factored, makes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.IndexFunc(f.known, func(x *factored) bool { return x.sample == sample })
	if at < 0 {
		if len(f.known) == mostKnown {
			f.drop(mostKnown - 1)
		}
		f.known = slices.Insert(f.known, 0, &factored{sample: sample})
		return nil, false
	}
	x = f.known[at]
	copy(f.known[1:at+1], f.known[:at])
	f.known[0] = x
	switch x.state {
	case seen:
		x.state, makes = making, true
	case kept:
		f.used++
	default:
		return nil, false
	}
	x.users++
	return x, makes
}

// make factorises a in memory of x's own.
func (x *factored) make(j *job, a *matrix, all []byte) (info int, err error) {
	p, err := x.memory.Bytes(len(all))
	if err != nil {
		return 0, err
	}
	x.matrix = unsafe.Slice((*byte)(p), len(all))
	copy(x.matrix, all)
	if p, err = x.memory.Bytes(len(all)); err != nil {
		return 0, err
	}
	x.lu = matrix{p: p, rows: a.rows, columns: a.rows, down: a.size, right: a.size * a.rows, size: a.size}
	x.lu.copy(*a)
	if x.pivots, err = x.memory.Bytes(8 * a.rows); err != nil {
		return 0, err
	}
	x.bytes = 2 * len(all)
	return j.factorise(x.lu, x.pivots)
}

// made says that x can be used by all, or that there is none.
func (f *factors) made(x *factored, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.known, x)
	if !ok || at < 0 { // others have come in the meantime
		x.state = differs
		if !ok {
			x.users--
			x.memory.Free()
		}
		return
	}
	x.state = kept
	f.bytes += x.bytes
	for i := len(f.known) - 1; f.bytes > mostKept; i-- {
		if y := f.known[i]; y != x && y.state == kept {
			f.drop(i)
		}
	}
}

// forget gives back what the caller got from look, whose matrix is another one.
func (f *factors) forget(x *factored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used--
	if x.state == kept {
		x.state = differs
		if slices.Contains(f.known, x) {
			f.bytes -= x.bytes
		}
	}
	f.leave(x)
}

// done gives back what the caller got from of.
func (f *factors) done(x *factored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leave(x)
}

func (f *factors) leave(x *factored) {
	x.users--
	if x.users == 0 && x.state == differs {
		x.memory.Free()
	}
}

// drop removes one from what is known. Its memory is freed by the last of its users.
func (f *factors) drop(i int) {
	x := f.known[i]
	f.known = slices.Delete(f.known, i, i+1)
	if x.state == kept {
		f.bytes -= x.bytes
		x.state = differs
		if x.users == 0 {
			x.memory.Free()
		}
	}
}
