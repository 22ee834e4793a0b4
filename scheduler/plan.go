package scheduler

import "fmt"

// Plan is what one flush, or one access by the host, adds. The slices are reused: they are
// valid until the core plans again.
type Plan struct {
	Ops       []*Op
	Tasks     []*Task     // in ID order, which is an order in which they could run one by one
	Instances []*Instance // new ones
	Splits    []Split     // why ops were not fused with those that they depend on
	Fits      []Fit       // which ops no GPU has room for as they are

	// Template is what the ops were fused by, nil where nothing had to be decided; Replayed says that it is that of an
	// earlier window.
	Template fmt.Stringer
	Replayed bool

	// InOrder says that the tasks are not handed out by Next: the caller of Flush runs them at
	// once, one after the other (see inorder.go).
	InOrder bool

	// Limits are what decided which ops are whole.
	Limits Threshold
}

// Reset empties the plan; its slices are used again.
func (p *Plan) Reset() {
	clear(p.Ops)
	clear(p.Tasks)
	clear(p.Instances)
	p.Ops, p.Tasks, p.Instances = p.Ops[:0], p.Tasks[:0], p.Instances[:0]
	p.Splits, p.Fits, p.InOrder = p.Splits[:0], p.Fits[:0], false
	p.Template, p.Replayed = nil, false
}
