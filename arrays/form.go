package arrays

import (
	"encoding/binary"

	"weft/scheduler"
	"weft/tile"
)

// FormID names a form of a Context. No number is used twice, so that one from before
// ForgetForms names none.
type FormID uint64

// NoForm names no form.
const NoForm FormID = 0

// Form is an interned layout: a dtype, a shape and strides. A program has few of them, however
// many arrays and views it makes, so that what depends on layouts alone is found out once for
// each combination (see Launch). A language binding can name the forms of views without
// making an Array of each. Forms are never changed, and their slices never must be.
type Form struct {
	Type       tile.DType
	Shape      []int
	Strides    []int64
	Size       int  // elements
	Contiguous bool // in C order without gaps
}

// maxForms bounds the forms and the launches that a Context remembers.
const maxForms = 1 << 15

// forms is the table of a Context.
type forms struct {
	base FormID // of list[0]
	list []*Form
	ids  map[string]FormID // by key
	key  []byte
}

// FirstForm is the lowest FormID: smaller numbers are left to bindings, which have other things to tell
// by them.
const FirstForm = 32

func newForms(base FormID) forms { return forms{base: base, ids: map[string]FormID{}} }

// Form returns a form, or nil for a number that names none.
func (c *Context) Form(id FormID) *Form {
	if at := id - c.forms.base; id >= c.forms.base && at < FormID(len(c.forms.list)) {
		return c.forms.list[at]
	}
	return nil
}

// FormsFull reports whether there is no room for another form or launch. Then it is time for
// ForgetForms; until then everything that wants one is answered by NoForm or nil.
func (c *Context) FormsFull() bool {
	return len(c.forms.list) >= maxForms || len(c.prepared) >= maxForms
}

// ForgetForms forgets all forms and launches. It returns the first number of the coming ones.
func (c *Context) ForgetForms() FormID {
	c.forms = newForms(c.forms.base + FormID(len(c.forms.list)))
	c.launches = nil
	clear(c.prepared)
	return c.forms.base
}

// FormOfNew returns the form of a new array in C order, or NoForm when the table is full.
func (c *Context) FormOfNew(t tile.DType, shape []int) FormID {
	return c.intern(t, shape, scheduler.CStrides(shape, t.Size()))
}

// intern returns the form of a layout, whose slices it may keep, or NoForm when the table is full.
func (c *Context) intern(t tile.DType, shape []int, strides []int64) FormID {
	f := &c.forms
	key := append(f.key[:0], byte(t))
	for i, n := range shape {
		key = binary.LittleEndian.AppendUint64(key, uint64(n))
		key = binary.LittleEndian.AppendUint64(key, uint64(strides[i]))
	}
	f.key = key
	id, known := f.ids[string(key)]
	if known || c.FormsFull() {
		return id
	}
	id = f.base + FormID(len(f.list))
	v := scheduler.View{Type: t, Shape: shape, Strides: strides}
	f.list = append(f.list, &Form{Type: t, Shape: shape, Strides: strides, Size: v.Elements(), Contiguous: v.Contiguous()})
	f.ids[string(key)] = id
	return id
}

// FormOf returns the form of an array, or NoForm when the table is full.
func (c *Context) FormOf(a *Array) FormID {
	if a.form < c.forms.base {
		a.form = c.intern(a.view.Type, a.view.Shape, a.view.Strides)
	}
	return a.form
}

// Axis is what a basic index does along one axis: of the array, or, for a new one, of the view.
type Axis struct {
	Kind AxisKind
	Step int // of Sliced: elements from one to the next, and how many are left
	Size int
}

// AxisKind says which of these an Axis is.
type AxisKind uint8

// The kinds of axes: taken away by an integer, added by None, or sliced.
const (
	Dropped AxisKind = iota
	Added
	Sliced
)

// ViewForm returns the form of a view under a basic index, which accounts for all axes of the
// form in order; or NoForm when the table is full. Where the view begins is no part of it.
func (c *Context) ViewForm(of FormID, index []Axis) FormID {
	f := c.Form(of)
	if f == nil {
		return NoForm
	}
	shape, strides := make([]int, 0, len(index)), make([]int64, 0, len(index))
	axis := 0
	for _, a := range index {
		switch a.Kind {
		case Added:
			shape, strides = append(shape, 1), append(strides, 0)
			continue
		case Sliced:
			shape, strides = append(shape, a.Size), append(strides, f.Strides[axis]*int64(a.Step))
		}
		axis++
	}
	return c.intern(f.Type, shape, strides)
}

// ViewAs returns a view of the array's store. offset is where its first element is in the store.
func (a *Array) ViewAs(id FormID, offset int64, readonly bool) *Array {
	f := a.c.Form(id)
	v := a.sub(f.Type, offset, f.Shape, f.Strides)
	v.readonly = readonly
	v.form = id
	return v
}
