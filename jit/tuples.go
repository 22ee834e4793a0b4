package jit

import (
	"slices"
	"strconv"
	"strings"

	"weft/tile"
)

// like is a tuple of a type's name and names.
func like(t Type, items ...value) value {
	v := tuple(items...)
	v.typ.Name, v.typ.Names = t.Name, t.Names
	return v
}

// member is the item of a tuple, or the field of records, that has a name.
func (l *lower) member(n *Node, v value, name string) value {
	if name == "value" && v.typ.enumeration() != "" {
		return v.items[0]
	}
	at := slices.Index(v.typ.Names, name)
	if at < 0 {
		l.fail(n, typing, "", "Unknown attribute '%s' of type %v", name, v.typ)
	}
	return v.items[at]
}

// itemOf is an item of a tuple, at an index that may be known only when the kernel runs if all items are numbers.
func (l *lower) itemOf(n *Node, v, at value) value {
	if at.text != "" && v.typ.Names != nil {
		return l.member(n, v, at.text)
	}
	if at.known == "slice" {
		return tuple(l.someOf(n, v.items, at.items)...)
	}
	size := int64(len(v.items))
	if i, known := at.integer(); known {
		if i < 0 {
			i += size
		}
		if i < 0 || i >= size {
			l.fail(n, "IndexError", "", "tuple index out of range")
		}
		return v.items[i]
	}
	l.wantIndex(n, at)
	if size == 0 {
		l.fail(n, "IndexError", "", "tuple index out of range")
	}
	t := v.items[0].typ
	for _, item := range v.items[1:] {
		if item.typ.Kind != Number || t.Kind != Number {
			l.fail(n, typing, "Use a literal index.", "Invalid use of getitem with parameters (%v, %v): its items are of several types", v.typ, at.typ)
		}
		t = Of(unify(t.DType, item.typ.DType))
	}
	if t.Kind != Number {
		return v.items[0]
	}
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int64, k)) }
	i := l.as(tile.Int64, at.in)
	i = l.do(tile.Select, l.do(tile.Lt, i, whole(0)), l.do(tile.Add, i, whole(size)), i)
	if l.threads {
		inside := l.do(tile.And, l.do(tile.Ge, i, whole(0)), l.do(tile.Lt, i, whole(size)))
		l.branch(n, of(inside), func() {}, func() {
			l.failWith(n, "IndexError", "tuple index {} out of range", []*instr{l.as(tile.Int64, at.in)})
		})
	}
	made := l.as(t.DType, v.items[size-1].in)
	for k := size - 2; k >= 0; k-- {
		made = l.do(tile.Select, l.do(tile.Eq, i, whole(k)), l.as(t.DType, v.items[k].in), made)
	}
	return of(made)
}

// someOf are the items that a slice of literals has.
func (l *lower) someOf(n *Node, items []value, parts []value) (some []value) {
	size := int64(len(items))
	number := func(v value, missing int64) int64 {
		if v.typ.Kind == None {
			return missing
		}
		k, known := v.integer()
		if !known {
			l.fail(n, typing, "Write numbers.", "a slice of a tuple is not known while compiling")
		}
		if k < 0 {
			k += size
		}
		return k
	}
	step := int64(1)
	if parts[2].typ.Kind != None {
		if step, _ = parts[2].integer(); step == 0 {
			l.fail(n, typing, "Write a number.", "the step of a slice of a tuple is not known while compiling, or 0")
		}
	}
	first, last := int64(0), size
	if step < 0 {
		first, last = size-1, -1
	}
	first, last = number(parts[0], first), number(parts[1], last)
	if step > 0 {
		first, last = max(first, 0), min(last, size)
	} else {
		first, last = min(first, size-1), max(last, -1)
	}
	for i := first; step > 0 && i < last || step < 0 && i > last; i += step {
		some = append(some, items[i])
	}
	return some
}

// contains is "in" a tuple.
func (l *lower) contains(n *Node, x, v value, not bool) value {
	if v.typ.Kind != Tuple {
		l.fail(n, typing, "Loop over the elements.", "No implementation of operator in found for signature: (%v, %v)", x.typ, v.typ)
	}
	found := l.truth(false)
	for _, item := range v.items {
		found = l.binary(n, "|", found, l.compare(n, "==", x, item))
	}
	if not {
		return l.unary(n, "not", found)
	}
	return found
}

// at is the view of records that indices give.
func (l *lower) records(n *Node, v, at value) value {
	if at.text != "" {
		return l.member(n, v, at.text)
	}
	made := v
	made.items = make([]value, len(v.items))
	for i, field := range v.items {
		made.items[i] = l.withIndex(n, field, at)
	}
	made.typ.Axes = made.items[0].typ.Axes - len(made.items[0].index)
	return made
}

// field is the array of a field, or its element where records are indexed as far as they have axes.
func (l *lower) field(n *Node, v value, name string) value {
	a := l.member(n, v, name)
	if a.typ.Kind == Array && len(a.index) == a.typ.Axes && a.typ.Axes > 0 {
		return l.element(n, a)
	}
	return a
}

// setRecord writes the fields of a record, from another one, or a field.
func (l *lower) setRecord(n *Node, to, v value) {
	if to.typ.Kind == Array {
		l.put(n, to, v)
		return
	}
	if len(v.items) != len(to.items) {
		l.fail(n, typing, "Write each field.", "Cannot resolve setitem: %v = %v", to.typ, v.typ)
	}
	for i, a := range to.items {
		from := v.items[i]
		if from.typ.Kind == Array && len(from.index) == from.typ.Axes {
			from = l.element(n, from)
		}
		l.put(n, a, from)
	}
}

// vectors are the names of the axes of vector types.
var vectors = []string{"x", "y", "z", "w"}

// vectorAliases are the names that C has for the numbers of vector types.
var vectorAliases = map[string]string{
	"char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64", "uchar": "uint8", "ushort": "uint16",
	"uint": "uint32", "ulong": "uint64", "ulonglong": "uint64", "float": "float32", "double": "float64",
}

// vectorType is the type of a name such as cuda.float32x3 or cuda.float3.
func vectorType(known string) (t Type, ok bool) {
	name, ok := strings.CutPrefix(known, "cuda.")
	if !ok || name == "" {
		return t, false
	}
	n := int(name[len(name)-1] - '0')
	base, long := strings.CutSuffix(name[:len(name)-1], "x")
	if !long {
		if base, ok = vectorAliases[base]; !ok {
			return t, false
		}
	}
	d, err := tile.ParseDType(base)
	if err != nil || n < 1 || n > len(vectors) || d.Is(tile.KindBool|tile.KindComplex) || d == tile.Float16 {
		return t, false
	}
	t = Type{Kind: Tuple, Name: base + "x" + strconv.Itoa(n), Names: vectors[:n]}
	for range n {
		t.Items = append(t.Items, Of(d))
	}
	return t, true
}

// vector makes one of numbers and of smaller vectors.
func (l *lower) vector(n *Node, t Type) value {
	var items []value
	for _, a := range l.arguments(n) {
		switch a.typ.Kind {
		case Number:
			items = append(items, a)
		case Tuple:
			items = append(items, a.items...)
		default:
			l.fail(n, typing, "", "%s of %v; want numbers and vectors", t.Name, a.typ)
		}
	}
	if len(items) != len(t.Items) {
		l.fail(n, typing, "", "%s takes %d numbers (%d given)", t.Name, len(t.Items), len(items))
	}
	for i := range items {
		items[i] = l.convert(t.Items[i].DType, items[i])
	}
	return like(t, items...)
}
