package arrays

import (
	"strings"

	"weft/scheduler"
	"weft/tile"
)

// NumPy's default print options.
const (
	printThreshold = 1000 // elements; larger arrays are summarised
	printEdge      = 3    // elements at each end of a summarised axis
	printWidth     = 75
	printPrecision = 8
)

// String waits for the array's value and returns it as NumPy's str does with the default
// options. An error of the work takes the place of the text.
func (a *Array) String() string {
	text, err := a.Text(nil)
	if err != nil {
		return "<array: " + err.Error() + ">"
	}
	return text
}

// Text is String for callers that want the error, and to be interrupted.
func (a *Array) Text(stop <-chan struct{}) (string, error) {
	if err := a.alive(); err != nil {
		return "", err
	}
	a.c.collect()
	if a.size == 0 {
		return "[]", nil
	}
	shape, data, err := a.edges(stop)
	if err != nil {
		return "", err
	}
	elements := make([]tile.Scalar, len(data)/a.view.Type.Size())
	for i := range elements {
		elements[i] = scalarAt(a.view.Type, data[i*a.view.Type.Size():])
	}
	if len(shape) == 0 {
		return scalarText(elements[0]), nil
	}
	p := printer{shape: shape, full: a.view.Shape, words: elementTexts(elements)}
	if a.size <= printThreshold {
		p.full = shape
	}
	return p.axis(0, 0, " ", printWidth), nil
}

// edges reads what is printed: everything, or the ends of the long axes. It returns the
// shape of what was read, and its elements packed.
func (a *Array) edges(stop <-chan struct{}) ([]int, []byte, error) {
	if a.size <= printThreshold {
		data, err := a.Bytes(stop)
		return a.view.Shape, data, err
	}
	size := a.view.Type.Size()
	shape := make([]int, a.Ndim())
	n := size
	for i, extent := range a.view.Shape {
		shape[i] = min(extent, 2*printEdge)
		n *= shape[i]
	}
	data := make([]byte, n)
	corner := make([]bool, a.Ndim()) // per axis: the far end
	for {
		if err := a.readCorner(shape, corner, data, stop); err != nil {
			return nil, nil, err
		}
		i := len(corner) - 1
		for ; i >= 0; i-- {
			if !corner[i] && a.view.Shape[i] > 2*printEdge {
				corner[i] = true
				break
			}
			corner[i] = false
		}
		if i < 0 {
			return shape, data, nil
		}
	}
}

// readCorner reads one corner of the array into its place in the packed edges.
func (a *Array) readCorner(shape []int, corner []bool, data []byte, stop <-chan struct{}) error {
	v := a.view
	v.Shape = append([]int{}, shape...)
	at := make([]int, len(shape)) // of the corner in the packed edges
	for i, n := range a.view.Shape {
		if n <= 2*printEdge {
			continue
		}
		v.Shape[i] = printEdge
		if corner[i] {
			at[i] = printEdge
			v.Offset += int64(n-printEdge) * v.Strides[i]
		}
	}
	size := v.Type.Size()
	part := make([]byte, v.Elements()*size)
	if err := a.c.rt.Read(v, part, stop); err != nil {
		return err
	}
	to := scheduler.CStrides(shape, size)
	index := make([]int, len(shape))
	for len(part) > 0 {
		offset := int64(0)
		for i := range index {
			offset += int64(at[i]+index[i]) * to[i]
		}
		copy(data[offset:], part[:size])
		part = part[size:]
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < v.Shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return nil
}

// printer lays words out in brackets, as NumPy's _formatArray does.
type printer struct {
	shape []int // of the words
	full  []int // of the array; longer axes get an ellipsis
	words []string
}

// axis prints the words of one axis; first is the index of its first word. Lines that
// follow the first start with indent and are at most width long.
func (p *printer) axis(axis, first int, indent string, width int) string {
	n := p.shape[axis]
	cut := -1 // the ellipsis goes before this item
	if p.full[axis] > n {
		cut = printEdge
	}
	step := 1
	for _, s := range p.shape[axis+1:] {
		step *= s
	}
	var b strings.Builder
	b.WriteByte('[')
	if axis == len(p.shape)-1 {
		line := indent
		word := func(w string) {
			if len(line)+len(w) > width-1 && len(line) > len(indent) {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = indent
			}
			line += w
		}
		for i := range n {
			if i > 0 {
				line += " "
			}
			if i == cut {
				word("...")
				line += " "
			}
			word(p.words[first+i])
		}
		b.WriteString(line)
		b.WriteByte(']')
		return "[" + b.String()[1+len(indent):] // the first line's indent is where the bracket stands
	}
	gap := strings.Repeat("\n", len(p.shape)-axis-1)
	for i := range n {
		if i > 0 {
			b.WriteString(gap + indent)
		}
		if i == cut {
			b.WriteString("..." + gap + indent)
		}
		b.WriteString(p.axis(axis+1, first+i*step, indent+" ", width-1))
	}
	b.WriteByte(']')
	return b.String()
}
