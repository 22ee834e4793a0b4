package ptx

import "weft/tile"

// vectors writes the kernel of a Map in the vector form. A vector is Variant.Vector elements of each operand, one
// behind the other. A thread takes Variant.Ahead of them in a turn, whose accesses are all under way at once, as long
// as there are so many, then single ones, and then one of the elements that lie in front of the first vector and
// behind the last. Addresses are those of the first vector.
func (e *emitter) vectors() error {
	n := e.counts()
	vectors := n.from(0)
	w, ahead := int(e.v.Vector), int(e.v.Ahead)
	var origin []string
	if e.layout.indexes {
		origin = []string{e.param(e.layout.origin(0))}
	}
	addresses := make([]string, len(e.p.Params))
	for p := range e.p.Params {
		addresses[p] = e.long("cvta.to.global.u64", e.param(e.layout.base(p)))
	}
	first, step := n.threadNumber()
	e.prepareFlow()
	e.uniforms()
	e.constants()
	x := &vector{emitter: e, n: n, step: step, addresses: addresses, same: make([]value, len(e.p.Params)), origin: origin}
	for p, param := range e.p.Params {
		if e.v.Same.Has(p) {
			x.same[p] = e.load(param.Type, "global", addresses[p], 0)
		}
	}
	if w > 1 && paired(e.p) {
		x.preparePairs()
	}
	i := n.op("mov", first)
	singles, elements, done := e.label("singles"), e.label("elements"), e.label("done")
	if ahead > 1 {
		several := e.label("several")
		beyond, stride := n.op("mul.lo", step, dec(ahead-1)), n.op("mul.lo", step, dec(ahead))
		steps := x.distances(n.asLong(step))
		e.place(several)
		e.when(n.cmp("ge", n.op("add", i, beyond), vectors), "bra", singles)
		if err := x.turn(i, steps); err != nil {
			return err
		}
		n.do("add."+n.typ, i, i, stride)
		e.do("bra", several)
	}
	e.place(singles)
	e.when(n.cmp("ge", i, vectors), "bra", elements)
	if err := x.turn(i, nil); err != nil {
		return err
	}
	n.do("add."+n.typ, i, i, step)
	e.do("bra", singles)
	e.place(elements)
	if w > 1 {
		head, rest := e.param(e.layout.head()), e.param(e.layout.head()+1)
		at := n.asLong(first)
		e.when(e.pred("setp.ge.u64", at, rest), "bra", done)
		behind := e.long("mul.lo.u64", n.asLong(vectors), dec(w))
		skip := e.to(long, "selp.b64", "0", behind, e.pred("setp.lt.u64", at, head))
		if err := x.element(e.long("add.s64", e.long("sub.s64", at, head), skip)); err != nil {
			return err
		}
	}
	e.place(done)
	e.do("ret")
	return nil
}

// vector is what the parts of a kernel in the vector form share.
type vector struct {
	*emitter
	n         count
	step      string   // vectors from one of a thread's to the next
	addresses []string // by parameter
	same      []value  // by parameter: of those that are one element, the element
	origin    []string
	pairsOf   []string // by instruction, where numbers are computed in pairs: of those that are the same for all points
}

// sizes returns those of the operands' elements.
func (x *vector) sizes() []int {
	var sizes []int
	seen := map[int]bool{}
	for p, param := range x.p.Params {
		if size := param.Type.Size(); !x.v.Same.Has(p) && !seen[size] {
			seen[size] = true
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// distances returns the bytes of so many vectors, 64 bits, by size of an element.
func (x *vector) distances(vectors string) map[int]string {
	bytes := map[int]string{}
	for _, size := range x.sizes() {
		bytes[size] = x.long("mul.lo.u64", vectors, dec(int(x.v.Vector)*size))
	}
	return bytes
}

// turn emits the program for the vector of number i, and where steps has their distances for further ones behind it.
func (x *vector) turn(i string, steps map[int]string) error {
	w, turns := int(x.v.Vector), 1
	if steps != nil {
		turns = int(x.v.Ahead)
	}
	offsets := map[int]string{}
	for _, size := range x.sizes() {
		if x.n.k == word {
			offsets[size] = x.long("mul.wide.u32", i, dec(w*size))
		} else {
			offsets[size] = x.long("mul.lo.u64", i, dec(w*size))
		}
	}
	at := make([][]string, turns) // by vector and parameter
	loaded := make([][]packed, turns)
	for k := range turns {
		at[k], loaded[k] = make([]string, len(x.p.Params)), make([]packed, len(x.p.Params))
		if k > 0 {
			for _, size := range x.sizes() {
				offsets[size] = x.long("add.s64", offsets[size], steps[size])
			}
		}
		for p, param := range x.p.Params {
			if x.v.Same.Has(p) {
				continue
			}
			at[k][p] = x.long("add.s64", x.addresses[p], offsets[param.Type.Size()])
			if param.Dir == tile.In {
				loaded[k][p] = x.loadSeveral(param.Type, "global", at[k][p], 0, w)
			}
		}
	}
	place := ""
	if x.layout.indexes {
		place = x.long("mul.lo.u64", x.n.asLong(i), dec(w))
	}
	for k := range turns {
		if place != "" && k > 0 {
			place = x.long("add.s64", place, x.long("mul.lo.u64", x.n.asLong(x.step), dec(w)))
		}
		if x.pairsOf != nil {
			x.pairsAt(at[k], loaded[k])
			continue
		}
		results := make([][]value, len(x.p.Code)) // by store
		for m := range w {
			lane := append([]value(nil), x.same...)
			for p, param := range x.p.Params {
				if param.Dir == tile.In && !x.v.Same.Has(p) {
					lane[p] = x.code.element(&loaded[k][p], m)
				}
			}
			coordinate := ""
			if place != "" {
				coordinate = x.long("add.s64", place, dec(m))
			}
			if err := x.lane(lane, x.at(coordinate), x.origin); err != nil {
				return err
			}
			for v := range x.p.Code {
				if in := &x.p.Code[v]; in.Op == tile.Store {
					results[v] = append(results[v], x.values[in.Args[0]])
				}
			}
		}
		for v := range x.p.Code {
			if in := &x.p.Code[v]; in.Op == tile.Store {
				x.storeSeveral(at[k][in.N], results[v])
			}
		}
	}
	return nil
}

// element emits the program for the element at a distance from the first vector, which 64 bits count.
func (x *vector) element(i string) error {
	lane, at := append([]value(nil), x.same...), make([]string, len(x.p.Params))
	for p, param := range x.p.Params {
		if x.v.Same.Has(p) {
			continue
		}
		at[p] = x.long("mad.lo.s64", i, dec(param.Type.Size()), x.addresses[p])
		if param.Dir == tile.In {
			lane[p] = x.load(param.Type, "global", at[p], 0)
		}
	}
	if err := x.lane(lane, x.at(i), x.origin); err != nil {
		return err
	}
	x.storeLane(at)
	return nil
}

// at is the coordinates of a point, for programs that ask.
func (x *vector) at(coordinate string) []string {
	if !x.layout.indexes {
		return nil
	}
	return []string{coordinate}
}
