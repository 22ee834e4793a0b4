//go:build cgo && linux

package libraries

/*
#include <stddef.h>
#include <stdint.h>

static int create_plan(void *f, int *plan) { return ((int (*)(int *))f)(plan); }
static int destroy_plan(void *f, int plan) { return ((int (*)(int))f)(plan); }
static int set_plan_stream(void *f, int plan, uint64_t stream) { return ((int (*)(int, void *))f)(plan, (void *)(uintptr_t)stream); }
static int set_auto_allocation(void *f, int plan, int on) { return ((int (*)(int, int))f)(plan, on); }
static int set_work_area(void *f, int plan, uint64_t at) { return ((int (*)(int, void *))f)(plan, (void *)(uintptr_t)at); }

// make_plan is of rows of one axis: the numbers of a row lie side by side, the rows a distance apart.
static int make_plan(void *f, int plan, long long points, long long in_row, long long out_row, int type, long long rows, size_t *work)
{
	return ((int (*)(int, int, long long *, long long *, long long, long long, long long *, long long, long long, int, long long, size_t *))f)(
		plan, 1, &points, &in_row, 1, in_row, &out_row, 1, out_row, type, rows, work);
}

static int execute_complex(void *f, int plan, uint64_t in, uint64_t out, int direction)
{
	return ((int (*)(int, void *, void *, int))f)(plan, (void *)(uintptr_t)in, (void *)(uintptr_t)out, direction);
}

static int execute_real(void *f, int plan, uint64_t in, uint64_t out)
{
	return ((int (*)(int, void *, void *))f)(plan, (void *)(uintptr_t)in, (void *)(uintptr_t)out);
}
*/
import "C"

import (
	"errors"
	"fmt"
)

// make makes a plan, whose memory for its work the caller gives to each execution.
func (t *Transformer) make(of Transform) (*FourierPlan, error) {
	e := t.fourier.entry
	var plan C.int
	if rc := C.create_plan(e[createPlan], &plan); rc != 0 {
		return nil, result("cufftCreate", int(rc))
	}
	p := &FourierPlan{Transform: of, plan: int32(plan)}
	var work C.size_t
	for _, step := range []struct {
		name string
		call func() C.int
	}{
		{"cufftSetAutoAllocation", func() C.int { return C.set_auto_allocation(e[setAutoAllocation], plan, 0) }},
		{"a plan", func() C.int {
			in, out := of.rows()
			return C.make_plan(e[makePlan], plan, C.longlong(of.Points), C.longlong(in), C.longlong(out), C.int(kinds[of.Kind].number), C.longlong(of.Rows), &work)
		}},
		{"cufftSetStream", func() C.int { return C.set_plan_stream(e[setPlanStream], plan, C.uint64_t(t.stream)) }},
	} {
		if rc := step.call(); rc != 0 {
			return nil, errors.Join(result(fmt.Sprintf("%v: %s", of, step.name), int(rc)), t.end(p))
		}
	}
	p.Work = int64(work)
	return p, nil
}

// end destroys a plan.
func (t *Transformer) end(p *FourierPlan) error {
	return result("cufftDestroy", int(C.destroy_plan(t.fourier.entry[destroyPlan], C.int(p.plan))))
}

// Execute appends a plan's transforms to the stream, between addresses of its device's memory, which do not overlap.
// work has at least the plan's Work bytes, which nothing else uses until the stream is past it.
func (t *Transformer) Execute(p *FourierPlan, in, out, work uint64, inverse bool) error {
	e := t.fourier.entry
	if rc := C.set_work_area(e[setWorkArea], C.int(p.plan), C.uint64_t(work)); rc != 0 {
		return result(p.String()+": cufftSetWorkArea", int(rc))
	}
	f, plan, from, to := e[execute+int(p.Kind)], C.int(p.plan), C.uint64_t(in), C.uint64_t(out)
	var rc C.int
	switch {
	case p.Kind != ComplexToComplex:
		rc = C.execute_real(f, plan, from, to)
	case inverse:
		rc = C.execute_complex(f, plan, from, to, 1) // CUFFT_INVERSE
	default:
		rc = C.execute_complex(f, plan, from, to, -1) // CUFFT_FORWARD
	}
	if rc != 0 {
		return result(p.String(), int(rc))
	}
	return nil
}
