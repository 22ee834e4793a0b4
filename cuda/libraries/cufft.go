package libraries

import (
	"fmt"
	"slices"
)

// Kind is between which numbers of double precision a transform is.
type Kind int

// The kinds, in the order of the entries that execute them.
const (
	ComplexToComplex Kind = iota
	RealToComplex         // of n real numbers the n/2+1 that are not conjugates of others
	ComplexToReal         // back; what it reads may be overwritten
)

// kinds have cuFFT's number and name of each.
var kinds = [...]struct {
	number int
	name   string
}{ComplexToComplex: {0x69, "Z2Z"}, RealToComplex: {0x6a, "D2Z"}, ComplexToReal: {0x6c, "Z2D"}}

// Transform is Fourier transforms of rows that lie side by side. Nothing is scaled: there and back is times Points.
type Transform struct {
	Kind   Kind
	Points int // of a row, of the real side where there is one
	Rows   int
	Whole  bool // of RealToComplex: rows of the result are Points apart, which leaves room for the conjugates
}

// rows are the numbers from a row to the next of what is read and of the result.
func (t Transform) rows() (in, out int) {
	half := t.Points/2 + 1
	switch {
	case t.Kind == ComplexToReal:
		return half, t.Points
	case t.Kind == RealToComplex && !t.Whole:
		return t.Points, half
	}
	return t.Points, t.Points
}

// RowBytes are the bytes from a row to the next of what is read and of the result.
func (t Transform) RowBytes() (in, out int64) {
	from, to := t.rows()
	in, out = 16*int64(from), 16*int64(to)
	switch t.Kind {
	case RealToComplex:
		in /= 2
	case ComplexToReal:
		out /= 2
	}
	return in, out
}

// String names the transform for an error text.
func (t Transform) String() string {
	return fmt.Sprintf("cuFFT's %s of %d points, %d of them", kinds[t.Kind].name, t.Points, t.Rows)
}

// fourierEntries are the functions that are called.
var fourierEntries = []string{
	"cufftCreate", "cufftDestroy", "cufftSetStream", "cufftSetAutoAllocation", "cufftMakePlanMany64", "cufftSetWorkArea",
	"cufftExecZ2Z", "cufftExecD2Z", "cufftExecZ2D",
}

// Where fourierEntries are.
const (
	createPlan = iota
	destroyPlan
	setPlanStream
	setAutoAllocation
	makePlan
	setWorkArea
	execute
)

// Fourier is cuFFT, loaded, for the rest of the process.
type Fourier struct {
	Library
	entry []function // by the numbers of fourierEntries
}

// OpenFourier loads cuFFT, as OpenBlas does cuBLAS.
func OpenFourier(path string, folders []string, cuda int) (*Fourier, error) {
	l, err := table[fourier].choose(path, folders, cuda)
	if err != nil {
		return nil, err
	}
	f := &Fourier{Library: l}
	f.entry, err = open(l, path != "", fourierEntries)
	return f, err
}

// results are the names of what cuFFT returns.
var results = map[int]string{
	1: "CUFFT_INVALID_PLAN", 2: "CUFFT_ALLOC_FAILED", 3: "CUFFT_INVALID_TYPE", 4: "CUFFT_INVALID_VALUE", 5: "CUFFT_INTERNAL_ERROR",
	6: "CUFFT_EXEC_FAILED", 7: "CUFFT_SETUP_FAILED", 8: "CUFFT_INVALID_SIZE", 9: "CUFFT_UNALIGNED_DATA", 11: "CUFFT_INVALID_DEVICE",
	13: "CUFFT_NO_WORKSPACE", 14: "CUFFT_NOT_IMPLEMENTED", 16: "CUFFT_NOT_SUPPORTED",
}

// result makes an error of what a call of cuFFT returned.
func result(call string, rc int) error { return returned(call, rc, results) }

// mostPlans bounds how many plans a Transformer keeps: each has memory of the device, of the size of a row or some.
const mostPlans = 16

// Transformer is cuFFT with one stream of a device, and the plans that were made for it last. The device's context must
// be current on the thread of each call, and one call may be under way at a time.
type Transformer struct {
	fourier *Fourier
	stream  uint64
	wait    func() error
	plans   []*FourierPlan // the one used last at the end
}

// Transformer makes one for a stream. wait returns when the stream is empty: nothing may use a plan that ends.
func (f *Fourier) Transformer(stream uint64, wait func() error) *Transformer {
	return &Transformer{fourier: f, stream: stream, wait: wait}
}

// FourierPlan is how a Transformer does a Transform.
type FourierPlan struct {
	Transform
	Work int64 // bytes of memory that an execution needs beside its operands
	plan int32
}

// Plan finds or makes a plan. It may end the one that was not used for longest.
func (t *Transformer) Plan(of Transform) (*FourierPlan, error) {
	if i := slices.IndexFunc(t.plans, func(p *FourierPlan) bool { return p.Transform == of }); i >= 0 {
		p := t.plans[i]
		t.plans = append(slices.Delete(t.plans, i, i+1), p)
		return p, nil
	}
	if len(t.plans) == mostPlans {
		if err := t.wait(); err != nil {
			return nil, err
		}
		if err := t.end(t.plans[0]); err != nil {
			return nil, err
		}
		t.plans = slices.Delete(t.plans, 0, 1)
	}
	p, err := t.make(of)
	if err != nil {
		return nil, err
	}
	t.plans = append(t.plans, p)
	return p, nil
}

// Close ends all plans. The stream is empty.
func (t *Transformer) Close() error {
	var first error
	for _, p := range t.plans {
		if err := t.end(p); first == nil {
			first = err
		}
	}
	t.plans = nil
	return first
}
