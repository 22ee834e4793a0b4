package arrays

import (
	"slices"
	"strings"

	"weft/scheduler"
	"weft/tile"
)

// einsumFuncs are Einstein's sums: the text is read here, products of two operands are in contract.go.
var einsumFuncs = []row{
	{"einsum", "*operands, out=None, optimize=False, dtype=None, order='K', casting='safe'", "",
		"Evaluates the Einstein summation convention on the operands.\n\nThree operands and more are multiplied two at a time, those first whose product is small.", einsum},
}

// label names an axis of an operand: a letter, or, from ellipsis on, an axis that an ellipsis stands for, counted
// from the right.
type label uint8

const ellipsis label = 128

// term is an array whose axes have labels, all of them different.
type term struct {
	a      *Array
	labels []label
}

// at returns the number of the axis with a label, -1 for none.
func (t *term) at(l label) int { return slices.Index(t.labels, l) }

// has reports whether an axis has the label.
func (t *term) has(l label) bool { return slices.Contains(t.labels, l) }

// einsum reads the common forms; of the others NumPy's text says what is wrong, or how to take them apart.
func einsum(s *scope, v []Value) (Value, error) {
	list := v[0].Items
	if v[3].given() || plain("order=", v[4], "K") != nil || plain("casting=", v[5], "safe") != nil {
		return Value{}, &Fallback{"dtype=, order= or casting= of einsum"}
	}
	if v[0].Kind != TupleValue || len(list) < 2 || list[0].Kind != StringValue {
		return Value{}, &Fallback{"einsum without a text of subscripts"}
	}
	if chosen, err := truth(v[2], false); len(list) > 3 && (chosen || err != nil) {
		return Value{}, &Fallback{"optimize= of einsum"}
	}
	dst, err := outArg(v[1])
	if err != nil {
		return Value{}, &Fallback{"out= of einsum"}
	}
	operands, types := make([]*Array, 0, len(list)-1), make([]operandType, 0, len(list)-1)
	for _, it := range list[1:] {
		a, err := s.array(it)
		if err != nil {
			return Value{}, err
		}
		operands, types = append(operands, a), append(types, operandType(a.view.Type))
	}
	terms, kept, ok := s.subscripts(list[0].String, operands)
	if !ok {
		return Value{}, &Fallback{"subscripts of einsum"}
	}
	t := promote(types...)
	if dst != nil && (dst.readonly || dst.view.Type != t || !slices.Equal(dst.view.Shape, shapeOfLabels(terms, kept))) {
		return Value{}, &Fallback{"out= of einsum that does not fit"}
	}
	lie := kept // the labels in the order of memory
	if dst == nil {
		lie = s.lying(terms, kept)
	}
	for len(terms) > 2 {
		i, j, between := nextPair(terms, kept)
		x, err := s.own(s.product(terms[i], terms[j], between, t, nil))
		if err != nil {
			return Value{}, err
		}
		terms = append(slices.Delete(slices.Delete(terms, j, j+1), i, i+1), term{x, between})
	}
	var out *Array
	if len(terms) == 1 {
		out, err = s.single(terms[0], lie, t, dst)
	} else {
		out, err = s.product(terms[0], terms[1], lie, t, dst)
	}
	if err != nil || dst != nil || len(kept) == 0 {
		return result(out, err)
	}
	if len(list) > 2 || len(terms[0].labels) > len(kept) { // no view
		if out, err = s.laidOut(out); err != nil {
			return Value{}, err
		}
	} else {
		out, _ = s.own(out, nil)
	}
	return result(s.inOrder(term{out, lie}, kept).same(), nil)
}

// laidOut returns a product with one element behind the other, in the order of its axes: one that was multiplied
// element by element lies as its operands do. Axes of one element have the steps that they have in a new array.
func (s *scope) laidOut(a *Array) (*Array, error) {
	a, _ = s.own(a, nil)
	if a.size == 0 { // without steps
		return s.own(a.same(), nil)
	}
	if !a.view.Contiguous() {
		return s.own(s.c.copyOf(a))
	}
	return s.own(a.sub(a.view.Type, a.view.Offset, a.view.Shape, scheduler.CStrides(a.view.Shape, a.view.Type.Size())), nil)
}

// lying returns the labels of the result in the order in which NumPy's iterator goes through it, and lays it out: that
// of the operands' steps along all labels, those that are summed over behind the others.
func (s *scope) lying(terms []term, kept []label) []label {
	all := slices.Clone(kept)
	for _, t := range terms {
		for _, l := range t.labels {
			if !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	slices.Sort(all[len(kept):])
	views := make([]scheduler.View, len(terms))
	for i, t := range terms {
		views[i] = s.inOrder(t, all).view
	}
	order := keptOrder(shapeOfLabels(terms, all), views...)
	if order == nil {
		return kept
	}
	lie := make([]label, 0, len(kept))
	for _, axis := range order {
		if axis < len(kept) {
			lie = append(lie, kept[axis])
		}
	}
	return lie
}

// subscripts reads the text: the operands with their labels, and the result's labels.
func (s *scope) subscripts(text string, operands []*Array) (terms []term, kept []label, ok bool) {
	text = strings.ReplaceAll(text, " ", "")
	inputs, output, explicit := strings.Cut(text, "->")
	parts := strings.Split(inputs, ",")
	if len(parts) != len(operands) {
		return nil, nil, false
	}
	var extents [256]int // and 1 more; 0 where there is none
	var count [256]int
	wide := 0 // axes of the longest ellipsis
	terms = make([]term, 0, len(parts))
	for i, part := range parts {
		a := operands[i]
		labels, rest, ok := labelsOf(part, a.Ndim())
		if !ok || len(labels) != a.Ndim() {
			return nil, nil, false
		}
		wide = max(wide, rest)
		for axis, l := range labels {
			count[l]++
			n := a.view.Shape[axis] + 1
			before := slices.Index(labels[:axis], l)
			if have := extents[l]; have > 2 && n != 2 && have != n || before >= 0 && a.view.Shape[before] != n-1 {
				return nil, nil, false
			}
			if extents[l] == 0 || extents[l] == 2 {
				extents[l] = n
			}
		}
		terms = append(terms, term{a, labels})
	}
	if explicit {
		var rest int
		if kept, rest, ok = labelsOf(output, -wide); !ok || rest != wide {
			return nil, nil, false
		}
	} else {
		for k := wide - 1; k >= 0; k-- {
			kept = append(kept, ellipsis+label(k))
		}
		for l := range ellipsis {
			if count[l] == 1 {
				kept = append(kept, l)
			}
		}
	}
	for i, l := range kept {
		if extents[l] == 0 || slices.Contains(kept[:i], l) {
			return nil, nil, false
		}
	}
	for i := range terms {
		terms[i] = s.diagonals(terms[i], &extents)
	}
	return terms, kept, true
}

// labelsOf reads the labels of an array of so many axes, and how many of them an ellipsis stands for. A negative
// number is that of an ellipsis, if there is one.
func labelsOf(text string, axes int) (labels []label, rest int, ok bool) {
	before, after, dots := strings.Cut(text, "...")
	for _, part := range [...]string{before, after} {
		for i := range len(part) {
			if letter := part[i] | 0x20; letter < 'a' || letter > 'z' {
				return nil, 0, false
			}
		}
	}
	if dots {
		rest = axes - len(before) - len(after)
		if axes < 0 {
			rest = -axes
		}
		if rest < 0 || rest > maxDims {
			return nil, 0, false
		}
	}
	labels = make([]label, 0, len(before)+rest+len(after))
	for i := range before {
		labels = append(labels, label(before[i]))
	}
	for k := rest - 1; k >= 0; k-- {
		labels = append(labels, ellipsis+label(k))
	}
	for i := range after {
		labels = append(labels, label(after[i]))
	}
	return labels, rest, true
}

// diagonals returns the view of an operand along whose axes no label stands twice, and which has the extents: an
// axis of one element is repeated.
func (s *scope) diagonals(t term, extents *[256]int) term {
	same := true
	for axis, l := range t.labels {
		same = same && t.a.view.Shape[axis] == extents[l]-1 && t.at(l) == axis
	}
	if same {
		return t
	}
	var shape []int
	var strides []int64
	var labels []label
	for axis, l := range t.labels {
		n, by := t.a.view.Shape[axis], t.a.view.Strides[axis]
		if want := extents[l] - 1; n != want {
			n, by = want, 0
		}
		if at := slices.Index(labels, l); at >= 0 {
			strides[at] += by
			continue
		}
		shape, strides, labels = append(shape, n), append(strides, by), append(labels, l)
	}
	v, _ := s.own(t.a.sub(t.a.view.Type, t.a.view.Offset, shape, strides), nil)
	return term{v, labels}
}

// shapeOfLabels returns the extents of labels.
func shapeOfLabels(terms []term, labels []label) []int {
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = extentOf(terms, l)
	}
	return shape
}

func extentOf(terms []term, l label) (n int) {
	for k := range terms {
		if axis := terms[k].at(l); axis >= 0 {
			n = terms[k].a.view.Shape[axis]
		}
	}
	return n
}

// nextPair chooses the operands to be multiplied first, and the labels of their product: those whose product has
// the fewest elements more than they have.
func nextPair(terms []term, kept []label) (i, j int, between []label) {
	best := 0.0
	for x := range terms {
		for y := x + 1; y < len(terms); y++ {
			needed := func(l label) bool {
				for k := range terms {
					if k != x && k != y && terms[k].has(l) {
						return true
					}
				}
				return slices.Contains(kept, l)
			}
			labels := productLabels(terms[x], terms[y], needed)
			more := -float64(terms[x].a.size) - float64(terms[y].a.size)
			points := 1.0
			for _, n := range shapeOfLabels(terms, labels) {
				points *= float64(n)
			}
			if more += points; between == nil || more < best {
				best, i, j, between = more, x, y, labels
			}
		}
	}
	return i, j, between
}

// productLabels are the labels of a product as it is made best: those of both operands, of the first, of the second.
func productLabels(x, y term, needed func(label) bool) []label {
	labels := []label{}
	for _, l := range x.labels {
		if y.has(l) && needed(l) {
			labels = append(labels, l)
		}
	}
	for _, l := range x.labels {
		if !y.has(l) && needed(l) {
			labels = append(labels, l)
		}
	}
	for _, l := range y.labels {
		if !x.has(l) && needed(l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// single returns the sum of one operand over the labels that are not kept: a view where there are none.
func (s *scope) single(x term, kept []label, t tile.DType, dst *Array) (*Array, error) {
	x, err := s.summed(x, func(l label) bool { return slices.Contains(kept, l) }, t)
	if err != nil {
		return nil, err
	}
	v := s.inOrder(x, kept)
	if dst != nil {
		v, err := s.apart(v, dst)
		if err != nil {
			return nil, err
		}
		return dst, s.c.move(dst, v, "einsum")
	}
	v = v.same()
	v.Scalar = v.Ndim() == 0
	return v, nil
}

// apart returns an array that shares no memory with the one that it goes to.
func (s *scope) apart(a, dst *Array) (*Array, error) {
	if a.store != dst.store {
		return a, nil
	}
	return s.own(s.c.castAsItLies(a, a.view.Type, "einsum"))
}

// inOrder returns a view with axes in the order of labels: of one element where the operand does not have a label.
func (s *scope) inOrder(x term, labels []label) *Array {
	shape, strides := make([]int, len(labels)), make([]int64, len(labels))
	for i, l := range labels {
		shape[i] = 1
		if axis := x.at(l); axis >= 0 {
			shape[i], strides[i] = x.a.view.Shape[axis], x.a.view.Strides[axis]
		}
	}
	v, _ := s.own(x.a.sub(x.a.view.Type, x.a.view.Offset, shape, strides), nil)
	return v
}

// summed returns the sum of an operand over labels that are not needed, owned by the scope.
func (s *scope) summed(x term, needed func(label) bool, t tile.DType) (term, error) {
	var kept, gone []label
	for _, l := range x.labels {
		if needed(l) {
			kept = append(kept, l)
		} else {
			gone = append(gone, l)
		}
	}
	if gone == nil {
		return x, nil
	}
	acc := wide(t)
	f := folding{name: "einsum", ufunc: "add", comb: tile.Sum, acc: acc, identity: tile.Scalar{Type: acc}}
	if t == tile.Bool {
		f.comb = tile.Any
	}
	var axes tile.Axes
	for _, l := range gone {
		axes |= 1 << x.at(l)
	}
	sum, err := s.fold(f, x.a, axes, false, nil)
	if err == nil {
		sum, err = s.finish(sum, t, nil)
	}
	sum, err = s.own(sum, err)
	return term{sum, kept}, err
}

// product returns the sums of products of two operands over the labels that are not kept, with axes in the order of
// kept, in dst if that is given.
func (s *scope) product(x, y term, kept []label, t tile.DType, dst *Array) (*Array, error) {
	x, err := s.summed(x, func(l label) bool { return slices.Contains(kept, l) || y.has(l) }, t)
	if err != nil {
		return nil, err
	}
	y, err = s.summed(y, func(l label) bool { return slices.Contains(kept, l) || x.has(l) }, t)
	if err != nil {
		return nil, err
	}
	inner := slices.ContainsFunc(x.labels, func(l label) bool { return !slices.Contains(kept, l) })
	if inner {
		return s.contracted(x, y, kept, t, dst)
	}
	a, b := Of(s.inOrder(x, kept)), Of(s.inOrder(y, kept))
	want := tile.Invalid
	if promotions[x.a.view.Type][y.a.view.Type] != t {
		want = t
	}
	return s.c.apply(Multiply, &a, &b, dst, want)
}
