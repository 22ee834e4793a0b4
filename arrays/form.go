package arrays

import (
	"encoding/binary"

	"weft/scheduler"
	"weft/tile"
)

// FormID names a form of a Context. No number is used twice, so that one that was forgotten
// names none.
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

// maxForms bounds the forms and the launches that a Context remembers. They come in two generations of half as many: when the young
// one is full, the old one is forgotten, and the young one is old. What is used again after that is found out anew, one by one, so
// that a loop over more layouts than fit never has to start from nothing.
const maxForms = 1 << 15

// forms is the table of a Context.
type forms struct {
	base  FormID // of list[0]
	list  []*Form
	old   map[string]FormID // by key
	young map[string]FormID
	key   []byte
}

// FirstForm is the lowest FormID: smaller numbers are left to bindings, which have other things to tell
// by them.
const FirstForm = 32

func newForms(base FormID) forms {
	return forms{base: base, old: map[string]FormID{}, young: map[string]FormID{}}
}

// Form returns a form, or nil for a number that names none.
func (c *Context) Form(id FormID) *Form {
	if at := id - c.forms.base; id >= c.forms.base && at < FormID(len(c.forms.list)) {
		return c.forms.list[at]
	}
	return nil
}

// FormsFull reports whether there is no room for another form or launch. Then it is time for
// AgeForms; until then everything that wants one is answered by NoForm or nil.
func (c *Context) FormsFull() bool {
	return len(c.forms.young) >= maxForms/2 || c.launches.full()
}

// AgeForms forgets the old generation of forms and launches. It returns the first numbers of those that are left; smaller ones
// name none any more.
func (c *Context) AgeForms() (FormID, int) {
	f := &c.forms
	kept := make([]*Form, len(f.young), maxForms)
	copy(kept, f.list[len(f.list)-len(f.young):])
	f.base += FormID(len(f.list) - len(kept))
	f.list, f.old, f.young = kept, f.young, map[string]FormID{}
	c.launches.age(f.base)
	return f.base, c.launches.base
}

// ForgetForms forgets all forms and launches. It returns the first numbers of the coming ones.
func (c *Context) ForgetForms() (FormID, int) {
	c.AgeForms()
	return c.AgeForms()
}

// FormOfLayout returns the form of a layout, whose slices it may keep, or NoForm when the table is full.
func (c *Context) FormOfLayout(t tile.DType, shape []int, strides []int64) FormID {
	return c.intern(t, shape, strides)
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
	id, known := f.young[string(key)]
	if !known {
		id, known = f.old[string(key)]
	}
	if known || c.FormsFull() {
		return id
	}
	id = f.base + FormID(len(f.list))
	v := scheduler.View{Type: t, Shape: shape, Strides: strides}
	f.list = append(f.list, &Form{Type: t, Shape: shape, Strides: strides, Size: v.Elements(), Contiguous: v.Contiguous()})
	f.young[string(key)] = id
	return id
}

// FormOf returns the form of an array, or NoForm when the table is full.
func (c *Context) FormOf(a *Array) FormID {
	if a.form < c.forms.base {
		a.form = c.intern(a.view.Type, a.view.Shape, a.view.Strides)
	}
	return a.form
}
