package graph

import (
	"slices"
)

// Flow joins two grains.
type Flow struct {
	From      int      `json:"from"`
	To        int      `json:"to"`
	Names     []string `json:"names,omitempty"` // of stores, the first few
	More      int      `json:"more,omitempty"`  // how many there are beyond
	Bytes     int64    `json:"bytes,omitempty"`
	Again     int64    `json:"again,omitempty"` // bytes of arrays that another part of the same operation reads as well, and which count there
	Order     bool     `json:"order,omitempty"` // no data
	Pointwise bool     `json:"pointwise,omitempty"`
	Critical  bool     `json:"critical,omitempty"`
	Inner     bool     `json:"inner,omitempty"` // within one operation or launch

	// Privileges of a dataflow: what flows was reduced into; what reads it writes it as well. Else it is written here
	// and read there.
	Reduced bool `json:"reduced,omitempty"`
	Updated bool `json:"updated,omitempty"`
}

// connect gathers the flows, for fewer parts if there are too many.
func (b *outliner) connect(add func(f *flows)) {
	outer := len(b.Grains)
	for {
		b.Flows, b.Grains = []Flow{}, b.Grains[:outer]
		f := &flows{b: b, of: b.grains()}
		add(f)
		if len(b.Flows) <= flowsPerPart*b.most || !b.shrink() {
			return
		}
	}
}

// grains gathers units and returns the grain of each.
func (b *outliner) grains() []int {
	index := map[[6]int]int{}
	of := make([]int, len(b.at))
	depth := make([]int, len(b.Parts)) // loops around or at a part, those of folds aside
	for i := range b.Parts {
		if p := &b.Parts[i]; p.In >= 0 {
			depth[i] = depth[p.In]
		}
		if b.Parts[i].Loop && !b.Parts[i].Fold {
			depth[i]++
		}
	}
	for u, part := range b.at {
		key := [6]int{part, noOne, noOne, noOne, noOne, noOne}
		loops := min(depth[part], len(b.folded), len(key)-1)
		for d := range loops {
			key[d+1] = b.folded[d][u]
		}
		at, known := index[key]
		if !known {
			at = len(b.Grains)
			index[key] = at
			b.Grains = append(b.Grains, slices.Clone(key[:loops+1]))
		}
		of[u] = at
	}
	return of
}

// flows gathers what flows between units.
type flows struct {
	b     *outliner
	of    []int // grain of each unit
	index map[[3]int]int
	seen  []map[string]bool
}

func (f *flows) add(from, to int, inner bool) *Flow {
	key := [3]int{f.of[from], f.of[to], 0}
	if inner {
		key[2] = 1
	}
	at, known := f.index[key]
	if !known {
		if f.index == nil {
			f.index = map[[3]int]int{}
		}
		at = len(f.b.Flows)
		f.index[key] = at
		f.b.Flows = append(f.b.Flows, Flow{From: key[0], To: key[1], Order: true, Pointwise: f.b.Kind == "events", Inner: inner})
		f.seen = append(f.seen, nil)
	}
	return &f.b.Flows[at]
}

// carry adds a store to a flow. Where another part of the same operation reads the same (again), it moved once.
func (f *flows) carry(from, to int, inner, again bool, s Store, p privilege) {
	e := f.add(from, to, inner)
	e.Order = false
	e.take(p)
	if again {
		e.Again += s.Bytes
	} else {
		e.Bytes += s.Bytes
	}
	at := f.index[[3]int{e.From, e.To, boolInt(inner)}]
	name := s.label()
	if name == "" || f.seen[at][name] {
		return
	}
	if f.seen[at] == nil {
		f.seen[at] = map[string]bool{}
	}
	f.seen[at][name] = true
	if len(e.Names) < keptNames {
		e.Names = append(e.Names, name)
	} else {
		e.More++
	}
}

// privilege is how an array is used at both ends of a flow: what flows was reduced into; what reads it writes it as
// well.
type privilege struct{ reduced, updated bool }

func (p *privilege) add(q privilege) {
	p.reduced, p.updated = p.reduced || q.reduced, p.updated || q.updated
}

// text says what the marks of an edge mean.
func (p privilege) text() string {
	reduced, updated := "", ""
	if p.reduced {
		reduced = "reduced into: each task added to it"
	}
	if p.updated {
		updated = "updated: what reads it writes it as well"
	}
	return join("\n", reduced, updated)
}

func (e *Flow) take(p privilege) {
	e.Reduced, e.Updated = e.Reduced || p.reduced, e.Updated || p.updated
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// runs writes sorted ids as runs.
func runs[T ~uint32](ids []T) [][2]uint32 {
	var out [][2]uint32
	for _, id := range ids {
		switch n := len(out); {
		case n > 0 && out[n-1][1] >= uint32(id):
		case n > 0 && out[n-1][1]+1 == uint32(id):
			out[n-1][1] = uint32(id)
		case n == keptRuns:
			return out
		default:
			out = append(out, [2]uint32{uint32(id), uint32(id)})
		}
	}
	return out
}
