package arrays

import (
	"weft/scheduler"
	"weft/tile"
)

// Memory names what arrays share without keeping it.
type Memory struct {
	c *Context
	s *store
}

// Memory returns what the array and its views share.
func (a *Array) Memory() Memory { return Memory{a.c, a.store} }

// Alive reports whether there is an array over the memory, so that there can be others.
func (m Memory) Alive() bool { return m.s != nil && m.s.refs > 0 && m.s.lost == nil }

// Lent reports whether the array's memory is the program's own.
func (a *Array) Lent() bool { return a.store != nil && a.store.lent != nil }

// Access says who may write to a view.
type Access uint8

const (
	ReadOnly  Access = iota // no writer
	Lockable                // a writer that calls SetWritable(true) first
	ReadWrite               // everybody
)

// At returns a view whose first element is so many bytes behind the memory's first, or nil where there can
// be none: of memory that is gone, of bytes outside of it, of elements that are not aligned, and of elements to
// write to that overlap each other.
func (m Memory) At(t tile.DType, offset int64, shape []int, strides []int64, access Access) *Array {
	if !m.Alive() || len(shape) > maxDims {
		return nil
	}
	v := scheduler.View{Store: m.s.id, Type: t, Offset: offset, Shape: shape, Strides: strides}
	if v.Elements() == 0 {
		v.Offset = 0
	} else if lo, hi := byteRange(v); lo < 0 || hi > m.s.bytes {
		return nil
	}
	if !aligned(v) || access != ReadOnly && meetsItself(v) {
		if access == Lockable && aligned(v) {
			return m.At(t, offset, shape, strides, ReadOnly)
		}
		return nil
	}
	m.s.refs++
	return &Array{
		c: m.c, store: m.s, view: v, size: v.Elements(), contiguous: v.Contiguous(),
		readonly: access != ReadWrite, locked: access == Lockable,
	}
}
