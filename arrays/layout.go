package arrays

import (
	"encoding/binary"

	"weft/scheduler"
	"weft/tile"
)

// LayoutID names a Layout of a Context. No number is used twice, so that one that was forgotten
// names none.
type LayoutID uint64

// NoLayout names no layout.
const NoLayout LayoutID = 0

// Layout is an interned layout: a dtype, a shape and strides. A program has few of them, however
// many arrays and views it makes, so that what depends on layouts alone is found out once for
// each combination (see Launch). A language binding can name the layouts of views without
// making an Array of each. Layouts are never changed, and their slices never must be.
type Layout struct {
	Type       tile.DType
	Shape      []int
	Strides    []int64
	Size       int  // elements
	Contiguous bool // in C order without gaps
}

// maxLayouts bounds the layouts and the launches that a Context remembers. They come in two generations of half as
// many: when the young one is full, the old one is forgotten, and the young one is old. What is used again after that
// is found out anew, one by one, so that a loop over more layouts than fit never has to start from nothing.
const maxLayouts = 1 << 15

// layouts is the table of a Context.
type layouts struct {
	base  LayoutID // of list[0]
	list  []*Layout
	old   map[string]LayoutID // by key
	young map[string]LayoutID
	key   []byte
}

// FirstLayout is the lowest LayoutID: smaller numbers are left to bindings, which have other things to tell
// by them.
const FirstLayout = 32

func newLayouts(base LayoutID) layouts {
	return layouts{base: base, old: map[string]LayoutID{}, young: map[string]LayoutID{}}
}

// Layout returns a layout, or nil for a number that names none.
func (c *Context) Layout(id LayoutID) *Layout {
	if at := id - c.layouts.base; id >= c.layouts.base && at < LayoutID(len(c.layouts.list)) {
		return c.layouts.list[at]
	}
	return nil
}

// LayoutsFull reports whether there is no room for another layout or launch. Then it is time for
// AgeLayouts; until then everything that wants one is answered by NoLayout or nil.
func (c *Context) LayoutsFull() bool {
	return len(c.layouts.young) >= maxLayouts/2 || c.launches.full()
}

// AgeLayouts forgets the old generation of layouts and launches. It returns the first numbers of those that are left;
// smaller ones name none any more.
func (c *Context) AgeLayouts() (LayoutID, int) {
	f := &c.layouts
	kept := make([]*Layout, len(f.young), maxLayouts)
	copy(kept, f.list[len(f.list)-len(f.young):])
	f.base += LayoutID(len(f.list) - len(kept))
	f.list, f.old, f.young = kept, f.young, map[string]LayoutID{}
	c.launches.age(f.base)
	return f.base, c.launches.base
}

// ForgetLayouts forgets all layouts and launches. It returns the first numbers of the coming ones.
func (c *Context) ForgetLayouts() (LayoutID, int) {
	c.AgeLayouts()
	return c.AgeLayouts()
}

// Intern names a layout, whose slices it may keep; NoLayout says that the table is full.
func (c *Context) Intern(t tile.DType, shape []int, strides []int64) LayoutID {
	f := &c.layouts
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
	if known || c.LayoutsFull() {
		return id
	}
	id = f.base + LayoutID(len(f.list))
	v := scheduler.View{Type: t, Shape: shape, Strides: strides}
	f.list = append(f.list, &Layout{Type: t, Shape: shape, Strides: strides, Size: v.Elements(), Contiguous: v.Contiguous()})
	f.young[string(key)] = id
	return id
}

// LayoutOf returns the layout of an array, or NoLayout when the table is full.
func (c *Context) LayoutOf(a *Array) LayoutID {
	if a.layout < c.layouts.base {
		a.layout = c.Intern(a.view.Type, a.view.Shape, a.view.Strides)
	}
	return a.layout
}
