package arrays

import (
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// GetItem is a[index]. Slices, integers, None and ellipsis give views; an index that ends
// at one element gives a copy of it, a Scalar; arrays give copies (see pick). Other indexes
// are a *Fallback.
func (c *Context) GetItem(a *Array, index Value) (*Array, error) {
	c.collect()
	if err := a.alive(); err != nil {
		return nil, err
	}
	if x, done, err := c.pick(a, index); done {
		return x, err
	}
	v, element, err := a.index(index)
	copies := func(it Value) bool { return it.Kind == ArrayValue && !it.Array.Scalar || isFlag(it) } // a Scalar is an integer
	if err != nil || !element && !slices.ContainsFunc(itemsOf(index), copies) {
		return v, err
	}
	defer v.Free()
	x, err := c.castIn(v, v.view.Type, indexOrder(v.view, itemsOf(index)), "copy")
	if err == nil {
		x.Scalar = element
	}
	return x, err
}

// indexOrder is how the axes of a copy lie that an index with arrays of no axes selects: the axis of a truth value
// first, and the others as in other copies. nil is C order.
func indexOrder(v scheduler.View, items []Value) []int {
	flag := slices.IndexFunc(items, isFlag)
	if flag < 0 {
		return copyOrder(v)
	}
	if ellipsis := slices.IndexFunc(items, func(it Value) bool { return it.Kind == EllipsisValue }); ellipsis >= 0 && ellipsis < flag {
		flag += len(v.Shape) - len(items) // which stands for the axes that no other item is for
	}
	rest := scheduler.View{Type: v.Type, Shape: slices.Delete(slices.Clone(v.Shape), flag, flag+1), Strides: slices.Delete(slices.Clone(v.Strides), flag, flag+1)}
	inner := copyOrder(rest)
	order := []int{flag}
	for i := range rest.Shape {
		if inner != nil {
			i = inner[i]
		}
		if i >= flag {
			i++
		}
		order = append(order, i)
	}
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

const badIndex = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"

// index returns the view that a basic index selects. element says that integers alone
// selected a single element, which NumPy returns as a scalar.
func (a *Array) index(index Value) (v *Array, element bool, err error) {
	items := []Value{index}
	if index.Kind == TupleValue {
		items = index.Items
	}
	taken, ellipses, integers, flags := 0, 0, 0, 0
	for _, it := range items {
		switch it.Kind {
		case IntValue, UintValue:
			taken++
			integers++
		case SliceValue:
			taken++
		case None:
		case EllipsisValue:
			ellipses++
		case BoolValue:
			flags++
		case ArrayValue:
			if isFlag(it) {
				flags++
				continue
			}
			if it.Array.view.Type.Is(tile.KindInt|tile.KindUint) && it.Array.Ndim() == 0 {
				taken++ // a NumPy integer
				integers++
				continue
			}
			if !it.Array.view.Type.Is(tile.KindBool | tile.KindInt | tile.KindUint) {
				return nil, false, errorf("IndexError", "arrays used as indices must be of integer (or boolean) type")
			}
			return nil, false, &Fallback{"indexing with an array"}
		case TupleValue:
			return nil, false, &Fallback{"indexing with a list"}
		default:
			return nil, false, errorf("IndexError", "%s", badIndex)
		}
	}
	if flags > 1 || flags > 0 && integers > 0 { // which are broadcast together
		return nil, false, &Fallback{"indexing with a bool and more"}
	}
	if ellipses > 1 {
		return nil, false, errorf("IndexError", "an index can only have a single ellipsis ('...')")
	}
	if taken > a.Ndim() {
		return nil, false, errorf("IndexError", "too many indices for array: array is %d-dimensional, but %d were indexed", a.Ndim(), taken)
	}
	p := picker{from: a, offset: a.view.Offset, element: ellipses == 0}
	for _, it := range items {
		switch it.Kind {
		case None:
			p.shape, p.strides, p.element = append(p.shape, 1), append(p.strides, 0), false
		case EllipsisValue:
			p.keep(a.Ndim() - taken)
		case SliceValue:
			err = p.slice(it.Items)
		default:
			if isFlag(it) {
				err = p.flag(it)
			} else {
				err = p.integer(it)
			}
		}
		if err != nil {
			return nil, false, err
		}
	}
	p.keep(a.Ndim() - p.axis)
	if len(p.shape) > maxDims {
		return nil, false, tooMany(len(p.shape))
	}
	return a.sub(a.view.Type, p.offset, p.shape, p.strides), p.element && len(p.shape) == 0, nil
}

// isFlag reports whether an item of an index is one truth value, which makes an axis with one point or none.
func isFlag(it Value) bool {
	return it.Kind == BoolValue || it.Kind == ArrayValue && it.Array.Ndim() == 0 && it.Array.view.Type == tile.Bool
}

// picker walks the axes of an array under a basic index.
type picker struct {
	from    *Array
	axis    int // the next one
	offset  int64
	shape   []int
	strides []int64
	element bool
}

func (p *picker) keep(axes int) {
	v := &p.from.view
	if axes > 0 {
		p.element = false
	}
	p.shape = append(p.shape, v.Shape[p.axis:p.axis+axes]...)
	p.strides = append(p.strides, v.Strides[p.axis:p.axis+axes]...)
	p.axis += axes
}

func (p *picker) flag(it Value) error {
	holds := it.Int != 0
	if it.Kind == ArrayValue {
		s, err := it.Array.Item(p.from.c.Stop)
		if err != nil {
			return err
		}
		holds = s.Bits[0] != 0
	}
	points := 0
	if holds {
		points = 1
	}
	p.shape, p.strides, p.element = append(p.shape, points), append(p.strides, 0), false
	return nil
}

func (p *picker) integer(it Value) error {
	n := p.from.view.Shape[p.axis]
	if it.Kind == ArrayValue {
		s, err := it.Array.Item(p.from.c.Stop)
		if err != nil {
			return err
		}
		it = toValue(s)
	}
	if it.Kind == UintValue {
		return errorf("OverflowError", "Python int too large to convert to C long")
	}
	i := it.Int
	if i < -int64(n) || i >= int64(n) {
		return errorf("IndexError", "index %d is out of bounds for axis %d with size %d", i, p.axis, n)
	}
	if i < 0 {
		i += int64(n)
	}
	p.offset += i * p.from.view.Strides[p.axis]
	p.axis++
	return nil
}

func (p *picker) slice(bounds []Value) error {
	n := p.from.view.Shape[p.axis]
	stride := p.from.view.Strides[p.axis]
	start, step, count, err := sliceRange(bounds, n)
	if err != nil {
		return err
	}
	if count > 0 {
		p.offset += int64(start) * stride
	}
	p.shape = append(p.shape, count)
	p.strides = append(p.strides, stride*int64(step))
	p.axis++
	p.element = false
	return nil
}

// sliceRange is Python's slice.indices over an axis of n points, with the count.
func sliceRange(bounds []Value, n int) (start, step, count int, err error) {
	step = 1
	if bounds[2].given() {
		if step, err = indexInt(bounds[2]); err != nil {
			return
		}
		if step == 0 {
			return 0, 0, 0, errorf("ValueError", "slice step cannot be zero")
		}
	}
	low, high := 0, n // of the start and stop, which may lie one outside when going down
	if step < 0 {
		low, high = -1, n-1
	}
	clamp := func(v Value, otherwise int) (int, error) {
		if !v.given() {
			return otherwise, nil
		}
		i, err := indexInt(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high), err
	}
	stop := 0
	if step > 0 {
		if start, err = clamp(bounds[0], low); err == nil {
			stop, err = clamp(bounds[1], high)
		}
		count = (stop - start + step - 1) / step
	} else {
		if start, err = clamp(bounds[0], high); err == nil {
			stop, err = clamp(bounds[1], low)
		}
		count = (start - stop - step - 1) / -step
	}
	if count <= 0 {
		return 0, 1, 0, err // as in NumPy's strides
	}
	return start, step, count, err
}

// indexInt reads an integer of a slice; huge ones are cut to what no axis reaches.
func indexInt(v Value) (int, error) {
	switch v.Kind {
	case IntValue, BoolValue:
		return int(min(max(v.Int, -1<<60), 1<<60)), nil
	case UintValue:
		return 1 << 60, nil
	case ArrayValue:
		if v.Array.Ndim() == 0 && v.Array.view.Type.Is(tile.KindInt|tile.KindUint) {
			s, err := v.Array.Item(v.Array.c.Stop)
			if err != nil {
				return 0, err
			}
			return indexInt(toValue(s))
		}
	}
	return 0, errorf("TypeError", "slice indices must be integers or None or have an __index__ method")
}

// SetItem is a[index] = v, with v a number or an array.
func (c *Context) SetItem(a *Array, index, v Value) error {
	c.collect()
	if err := a.alive(); err != nil {
		return err
	}
	if err := a.refuse("assignment destination is read-only"); err != nil {
		return err
	}
	if v.Kind == ArrayValue {
		if err := c.discards(v.Array.view.Type, a.view.Type); err != nil {
			return err
		}
	}
	if items := itemsOf(index); slices.ContainsFunc(items, advanced) {
		if v.isScalar() && v.DType == tile.Invalid { // a Python number becomes an element before NumPy looks at what the index names
			if _, err := assignScalar(v, a.view.Type); err != nil {
				return err
			}
		}
		return c.setPicked(a, items, v)
	}
	dst, element, err := a.index(index)
	if err != nil {
		return err
	}
	defer dst.Free()
	if element && v.Kind == ArrayValue && v.Array.Ndim() > 0 { // NumPy asks the array for a number
		t := dst.view.Type
		switch {
		case t.Is(tile.KindComplex):
			return errorf("TypeError", "only 0-dimensional arrays can be converted to Python scalars")
		case t != tile.Bool || v.Array.size != 1:
			return errorf("ValueError", "setting an array element with a sequence.")
		}
	}
	if v.Kind == ArrayValue && slices.ContainsFunc(itemsOf(index), isFlag) {
		s := &scope{c: c}
		defer s.free()
		if _, err := s.broadcastValues(v.Array, dst.view.Shape); err != nil {
			return err // in the words for indices that are arrays
		}
	}
	return c.assign(dst, v)
}

// assign writes a number or an array, broadcast and converted, over all of dst.
func (c *Context) assign(dst *Array, v Value) error {
	if v.isScalar() {
		s, err := assignScalar(v, dst.view.Type)
		if err != nil {
			return err
		}
		return c.fill(dst, s, "fill")
	}
	if v.Kind != ArrayValue {
		return &Fallback{"assigning something that is not an array or a number"}
	}
	src := v.Array
	if err := src.alive(); err != nil {
		return err
	}
	if sameView(dst, src) {
		return nil
	}
	src = src.withoutLeading(dst.Ndim())
	defer src.Free()
	if !fitsInto(src.view.Shape, dst.view.Shape) {
		return errorf("ValueError", "could not broadcast input array from shape %s into shape %s", units.Shape(src.view.Shape), units.Shape(dst.view.Shape))
	}
	return c.move(dst, src, "copy")
}

// withoutLeading returns the view without the leading axes of one point that an array of ndim axes has not:
// they do not count against broadcasting where elements are assigned.
func (a *Array) withoutLeading(ndim int) *Array {
	shape := a.view.Shape
	for len(shape) > ndim && shape[0] == 1 {
		shape = shape[1:]
	}
	return a.sub(a.view.Type, a.view.Offset, shape, a.view.Strides[len(a.view.Shape)-len(shape):])
}
