package core

import "encoding/binary"

// numbering is what signature calls a store.
type numbering struct {
	seen   uint64 // the window that number belongs to
	number uint32 // in the order of the window, from 1
}

// signature writes down everything about the window that fuse looks at: programs, index
// spaces, views, and which operands have the same store, but neither which stores these are
// nor the uniforms. Equal texts are windows that fuse treats alike.
//
// A loop that swaps two arrays has one signature in every iteration, because a store is written as what matters of it
// where the window comes to it first, and by its number in the window from then on:
//
//	window            signature
//	o1  s7 = s4 + 1   add  [0 size flags] [0 size flags]    s7 is 1, s4 is 2
//	o2  s4 = s7 * 2   mul  [2] [1]
//	free s7           ff [1]
//
// An entry begins with the kind of its op, or with a byte that no kind has: so no text can be read in two ways.
//
//	fd   the whole window is planned apart      fe   a form that is known, by its number, and the views' offsets
//	fc   the op fills a store that is new       ff   a release
func (c *Core) signature(apart bool) []byte {
	key := c.fusing.key[:0]
	if apart {
		key = append(key, 0xfd) // no kind of an op
	}
	c.fusing.seen++
	count := uint32(0)
	name := func(st *store) { // 0 and what matters of a store that is new, or its number
		if st.seen == c.fusing.seen {
			key = binary.AppendUvarint(key, uint64(st.number))
			return
		}
		count++
		st.seen, st.number = c.fusing.seen, count
		flags := uint64(st.size) << 1
		if st.pinned {
			flags |= 1
		}
		key = binary.AppendUvarint(append(key, 0), flags)
	}
	for i := range c.window {
		e := &c.window[i]
		if e.release != nil {
			key = append(key, 0xff) // no kind of an op
			name(e.release)
			continue
		}
		op := e.op
		if e.zeros = e.fills() && e.uses[0].store.seen != c.fusing.seen; e.zeros {
			key = append(key, 0xfc) // nor this
		}
		if known := c.known(op); known != nil {
			key = binary.AppendUvarint(append(key, 0xfe), uint64(known.number)) // no kind either
			for k := range op.Uses {
				name(e.uses[k].store)
				key = binary.AppendUvarint(key, uint64(op.Uses[k].View.Offset))
			}
			continue
		}
		key = append(key, byte(op.Kind), byte(len(op.Shape)))
		key = c.fusing.fuser.Named(key, op)
		for _, n := range op.Shape {
			key = binary.AppendUvarint(key, uint64(n))
		}
		key = binary.AppendUvarint(key, uint64(op.Reduced))
		for k := range op.Uses {
			v := &op.Uses[k].View
			name(e.uses[k].store)
			key = binary.AppendUvarint(key, uint64(v.Offset))
			key = append(key, byte(len(v.Strides)))
			for axis, s := range v.Strides {
				key = binary.AppendVarint(key, s)
				if op.Whole(k) || e.block != nil {
					key = binary.AppendUvarint(key, uint64(v.Shape[axis]))
				}
			}
		}
	}
	c.fusing.key = key
	return key
}
