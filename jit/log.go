package jit

import (
	"strconv"
	"strings"

	"weft/tile"
)

// What kernels print goes to a log: two arrays of as many elements, of int64 and of float64, which are the kernel's
// last arguments. The first element of the former counts the elements that are used, the second the lines that had no
// room. A line is, from an element that the thread has taken by an atomic: how many items there are and one more, the
// block, the thread, and for each item what it is (logged...) and its value, which lies in the latter array where it is
// a float.
const (
	loggedInt int64 = iota
	loggedFloat
	loggedBool
	loggedUint
	loggedText // the number of a text, which the unit's writer knows
	loggedOpen // a tuple begins
	loggedShut
)

// logFunctions is the table of what writes to the log.
var logFunctions = map[string]functionRow{"builtins.print": {0, 32, true, nil, print}}

// logItem is a part of a line.
type logItem struct {
	what int64
	in   *instr // nil for the parentheses of tuples
}

func print(l *lower, n *Node, v []value) value {
	l.wantThreads(n, "print")
	var items []logItem
	for i, x := range v {
		items = l.logItems(n.Kids[1].Kids[i], items, x)
	}
	if l.log < 0 {
		l.log = len(l.args)
		l.args, l.names = append(l.args, ArrayOf(tile.Int64, 1), ArrayOf(tile.Float64, 1)), append(l.names, "print", "print")
	}
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int64, k)) }
	need := int64(3 + 2*len(items))
	count := func(at, by int64) *instr {
		return l.act(n, &instr{op: tile.Atomic, form: tile.AtomicAdd, typ: tile.Int64, n: l.log, args: []*instr{whole(by), whole(at)}}).in
	}
	first := l.do(tile.Add, count(0, need), whole(2))
	size := l.shared(tile.Int64, &number{op: extentNumber, n: int64(l.log << 8)}).in
	put := func(array int, v *instr, at int) {
		to := l.do(tile.Add, first, whole(int64(at)))
		l.act(n, &instr{op: tile.Put, typ: v.typ, n: array, args: []*instr{v, to}})
	}
	l.branch(n, of(l.do(tile.Le, l.do(tile.Add, first, whole(need)), size)), func() {
		for i, head := range []*instr{whole(int64(len(items) + 1)), l.flat(tile.CtaidX, tile.NctaidX), l.flat(tile.TidX, tile.NtidX)} {
			put(l.log, head, i)
		}
		for i, item := range items {
			put(l.log, whole(item.what), 3+2*i)
			switch {
			case item.what == loggedFloat:
				put(l.log+1, l.as(tile.Float64, item.in), 4+2*i)
			case item.in != nil:
				put(l.log, l.as(tile.Int64, item.in), 4+2*i)
			}
		}
	}, func() { count(1, 1) })
	return value{typ: Type{Kind: None}}
}

// flat is a place in extents of which x varies fastest, as one number.
func (l *lower) flat(at, extent tile.Form) *instr {
	wide := func(f tile.Form) *instr { return l.as(tile.Int64, l.placed(f)) }
	row := l.do(tile.Add, l.do(tile.Mul, wide(at+2), wide(extent+1)), wide(at+1))
	return l.do(tile.Add, l.do(tile.Mul, row, wide(extent)), wide(at))
}

// logItems adds what a value is in the log.
func (l *lower) logItems(n *Node, items []logItem, v value) []logItem {
	switch {
	case v.typ.Kind == Tuple:
		items = append(items, logItem{loggedOpen, nil})
		for _, item := range v.items {
			items = l.logItems(n, items, item)
		}
		return append(items, logItem{loggedShut, nil})
	case strings.HasPrefix(v.text, "#"):
		k, _ := strconv.ParseInt(v.text[1:], 10, 64)
		return append(items, logItem{loggedText, l.whole(k).in})
	case v.typ.Kind != Number || v.typ.DType.Is(tile.KindComplex):
		l.fail(n, typing, "Print numbers, texts and tuples of them.", "print of %v is not supported", v.typ)
	}
	what := loggedInt
	switch t := v.typ.DType; {
	case t == tile.Bool:
		what = loggedBool
	case t.Is(tile.KindFloat):
		what = loggedFloat
	case t.Is(tile.KindUint):
		what = loggedUint
	}
	return append(items, logItem{what, v.in})
}
