package jit

import (
	"fmt"

	"weft/tile"
)

// unpack gives each target of a tuple an item of a value.
func (l *lower) unpack(target *Node, v value) {
	items, s, ok := l.through(target, v)
	if !ok {
		l.fail(target, typing, "Unpack a tuple, an array, or an iterator.", "failed to unpack %v", v.typ)
	}
	l.spread(target, items, s)
}

// spread gives each target of a tuple an item. All items are read before the first target is written.
func (l *lower) spread(target *Node, items []value, s *series) {
	for _, t := range target.Kids {
		if t.Kind == "other" {
			l.refuse(t)
		}
	}
	want := len(target.Kids)
	if s != nil {
		items = l.exhaust(target, s, want)
	}
	if len(items) != want {
		l.fail(target, typing, "Write a name for each item.", "wrong tuple length: expected %d, got %d", want, len(items))
	}
	for i, t := range target.Kids {
		l.assign(t, items[i])
	}
}

// exhaust returns the items of a series, of which there have to be so many.
//
//	a, b, c = m[i]    lanes: the launch looks at m.shape[1]; threads run it where that is not 3
//	                  threads: if m.shape[1] < 3, fail; if m.shape[1] > 3, fail; a = m[i, 0], ...
func (l *lower) exhaust(n *Node, s *series, want int) []value {
	got, known := s.length.integer()
	switch {
	case known && got == int64(want):
	case l.kernel && s.length.number != nil:
		holds := func(k int64) bool { return k == int64(want) }
		l.premises = append(l.premises, premise{n, s.length.number, holds, fmt.Sprintf("another number of values to unpack than %d", want)})
	default:
		l.wantThreads(n, "unpacking a number of values that may be another one")
		wanted := l.whole(int64(want)).in
		for _, wrong := range []struct {
			op   tile.Opcode
			what string
		}{{tile.Lt, "not enough"}, {tile.Gt, "too many"}} {
			l.branch(n, of(l.do(wrong.op, s.length.in, wanted)), func() {
				text := fmt.Sprintf("%s values to unpack (expected %d, got {})", wrong.what, want)
				l.failWith(n, "ValueError", text, []*instr{s.length.in})
			}, func() {})
		}
	}
	items := make([]value, want)
	for i := range items {
		items[i] = s.item(l.whole(int64(i)))
	}
	return items
}
