package cuda

import (
	"errors"
	"slices"

	"weft/cuda/driver"
)

// graphs are the sequences of launches that a queue has met, each with the graphs that were made of it. Templates of
// windows repeat, and with them the kernels, in their order; addresses come back in turns, since the pool gives out
// first what was given back last; scalars may be others each time.
//
//	template   kernels a b c     graph 1   a(x, y) b(y, z) c(z, .5)
//	                             graph 2   a(y, x) b(x, z) c(z, .25)
//	                             ... up to graphsKept
//	template   kernels a d       graph 1   ...
//
// A sequence is launched one by one when it comes for the first time, and again each time that it has come timedEach
// times more: that is when its launches are timed. Else it goes by the graph that differs least from it. Where none is
// the same and there is room, a new one is made; where there is no room, the graph takes the other parameters.
//
// Only the goroutine that submits uses them, but for what launches took, which the retiring one writes and reads.
type graphs struct {
	known []*template // the one that was used last is the first
	told  GraphCounts
}

// GraphCounts say what a queue has done with sequences.
type GraphCounts struct {
	Made     int   // graphs
	Replayed int   // sequences that went by a graph
	Singly   int   // sequences whose launches went one by one
	Refused  error // what the driver said to the last graph that it has refused
}

const (
	templatesKept = 16
	graphsKept    = 4   // of each template: a loop that swaps two arrays needs two, one of three that take turns three
	timedEach     = 100 // what it costs to launch one by one is not seen then
)

// template is a sequence by its kernels.
type template struct {
	kernels []*kernel
	exes    []*executable // keep the kernels' modules
	graphs  []*driver.Graph
	uses    int
	refused int     // where the driver has refused a graph: by how many uses it is not asked again
	took    []int64 // nanoseconds of each launch when they were timed last; the retiring goroutine's
}

// choose finds the graph by which a sequence is to be started, and puts the launches into the queue's batch. There is
// none where they are to be launched one by one.
func (x *graphs) choose(q *queue, parts []*work) (*template, *driver.Graph) {
	t, err := x.find(parts)
	if err != nil {
		x.told.Refused = err
	}
	t.uses++
	if t.uses%timedEach == 1 || t.uses < t.refused {
		return t, nil
	}
	q.batch.Reset()
	for _, p := range parts {
		if p.run.kernel.err != nil || q.batchRun(p.run) != nil { // it has the error when it is launched by itself
			return t, nil
		}
	}
	g, made, err := t.graph(q)
	if err != nil {
		x.refuse(q, t, err)
		return t, nil
	}
	if made {
		x.told.Made++
	}
	return t, g
}

// find returns the template of a sequence, which is the first of all from now on. The error is that of a graph that was
// given up.
func (x *graphs) find(parts []*work) (*template, error) {
	at := slices.IndexFunc(x.known, func(t *template) bool {
		return slices.EqualFunc(t.kernels, parts, func(k *kernel, p *work) bool { return p.run.kernel == k })
	})
	var t *template
	var err error
	if at >= 0 {
		t = x.known[at]
	} else {
		t = &template{took: make([]int64, len(parts))}
		for _, p := range parts {
			t.kernels = append(t.kernels, p.run.kernel)
			t.exes = append(t.exes, p.run.launch.Exe.(*executable))
		}
		if at = len(x.known); at == templatesKept {
			at--
			err = x.known[at].close()
		} else {
			x.known = append(x.known, nil)
		}
	}
	copy(x.known[1:], x.known[:at])
	x.known[0] = t
	return t, err
}

// graph returns the graph that differs least from the launches of the queue's batch, or a new one.
func (t *template) graph(q *queue) (least *driver.Graph, made bool, err error) {
	differ := 0
	for _, g := range t.graphs {
		if n := g.Differ(&q.batch); least == nil || n < differ {
			least, differ = g, n
		}
	}
	if least != nil && differ == 0 || len(t.graphs) == graphsKept {
		return least, false, nil
	}
	g, err := q.d.dev.NewGraph(&q.batch)
	if err != nil {
		return nil, false, err
	}
	t.graphs = append(t.graphs, g)
	return g, true, nil
}

// refuse notes that the driver has refused a graph of a template, and gives those up that there are: they take memory,
// the want of which may be why.
func (x *graphs) refuse(q *queue, t *template, err error) {
	x.told.Refused = q.d.note(errors.Join(err, t.close()))
	t.refused = t.uses + timedEach
}

// close gives a template's graphs back.
func (t *template) close() error {
	var errs []error
	for _, g := range t.graphs {
		errs = append(errs, g.Close())
	}
	t.graphs = nil
	return errors.Join(errs...)
}

func (x *graphs) close() error {
	var errs []error
	for _, t := range x.known {
		errs = append(errs, t.close())
	}
	x.known = nil
	return errors.Join(errs...)
}

// shares cuts a time into those of the launches, by what they took when they were timed; all are the same where that is
// not known.
func (t *template) shares(whole int64) []int64 {
	took, sum := t.took, int64(0)
	for _, n := range took {
		sum += n
	}
	if sum == 0 {
		took, sum = slices.Repeat([]int64{1}, len(took)), int64(len(took))
	}
	made, at, until := make([]int64, len(took)), int64(0), int64(0)
	for i, n := range took {
		until += n
		end := int64(float64(whole) * (float64(until) / float64(sum)))
		made[i], at = end-at, end
	}
	return made
}
