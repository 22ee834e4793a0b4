package jit

import (
	"fmt"
	"strings"

	"weft/tile"
)

// Arguments of a kernel may be tuples and records: each stands for several, its leaves, which are numbers and arrays.
// The positions of arguments, in a Spec's Same, in Facts and in what a kernel's programs use, are those of the leaves.
// Behind them come the arrays that the function has frozen, and those of a kernel's log, if it prints.

// Leaves returns the numbers and arrays that types stand for: None stands for none.
func Leaves(types []Type) (leaves []Type) {
	for _, t := range types {
		switch t.Kind {
		case Tuple, Records:
			leaves = append(leaves, Leaves(t.Items)...)
		case None:
		default:
			leaves = append(leaves, t)
		}
	}
	return leaves
}

// Structure reads how leaves make up arguments: "." is one of them, "n" is None and has none, "(..)" is a tuple,
// "<x,y:..>" one whose items have names, and "{x,y:..}" an array of records, of an array for each field.
func Structure(text string, leaves []Type) (types []Type, err error) {
	p := structure{text: text, leaves: leaves}
	for p.text != "" && p.err == nil {
		types = append(types, p.next())
	}
	if p.err == nil && len(p.leaves) > 0 {
		p.err = fmt.Errorf("jit: %d arguments are left of structure %q", len(p.leaves), text)
	}
	return types, p.err
}

type structure struct {
	text   string
	leaves []Type
	err    error
}

func (p *structure) next() Type {
	c := p.text[0]
	p.text = p.text[1:]
	switch c {
	case '.':
		if len(p.leaves) == 0 {
			break
		}
		t := p.leaves[0]
		p.leaves = p.leaves[1:]
		return t
	case 'n':
		return Type{Kind: None}
	case '(', '<', '{':
		t := Type{Kind: Tuple}
		if c != '(' {
			names, rest, _ := strings.Cut(p.text, ":")
			t.Names, p.text = strings.Split(names, ","), rest
		}
		for p.err == nil && p.text != "" && strings.IndexByte(")>}", p.text[0]) < 0 {
			t.Items = append(t.Items, p.next())
		}
		if p.text == "" {
			break
		}
		p.text = p.text[1:]
		if c == '{' {
			t.Kind, t.Axes = Records, t.Items[0].Axes
		}
		return t
	}
	p.err = fmt.Errorf("jit: structure ends with %q; see Structure in jit/arguments.go", string(c)+p.text)
	return Type{}
}

// key tells types that need other programs.
func (t Type) key() string {
	text := string([]byte{byte(t.Kind), byte(t.DType), byte(t.Axes), byte(len(t.Items))}) + strings.Join(t.Names, ",")
	for _, item := range t.Items {
		text += item.key()
	}
	return text
}

// parameters gives the names of the arguments their values.
func (l *lower) parameters(f *function, spec Spec) names {
	vars := names{}
	for i, t := range spec.Types {
		vars.set(f.params[i].Word, l.argument(f.params[i].Word, t, spec))
	}
	for _, a := range l.unit.arrays {
		l.args, l.names = append(l.args, ArrayOf(a.typ, a.axes)), append(l.names, a.name)
	}
	return vars
}

// argument is one argument, or part of one; its leaves get the next positions.
func (l *lower) argument(name string, t Type, spec Spec) value {
	at := len(l.args)
	switch t.Kind {
	case Tuple, Records:
		v := value{typ: t}
		for i, item := range t.Items {
			inner := fmt.Sprintf("%s[%d]", name, i)
			if t.Names != nil {
				inner = name + "." + t.Names[i]
			}
			v.items = append(v.items, l.argument(inner, item, spec))
		}
		return v
	case Array:
		l.args, l.names = append(l.args, t), append(l.names, name)
		return value{typ: t, array: spec.Same[at]}
	case Number:
		l.args, l.names = append(l.args, t), append(l.names, name)
		l.uniforms = append(l.uniforms, Uniform{Type: t.DType, argument: at})
		v := of(&instr{op: tile.Uniform, typ: t.DType, n: len(l.uniforms) - 1})
		if t.DType.Is(tile.KindInt|tile.KindUint) && t.DType != tile.Uint64 {
			v.number = &number{op: argumentNumber, n: int64(at)}
		}
		return v
	}
	return value{typ: t}
}

// frozenArray is an array that the function names and does not get as an argument.
type frozenArray struct {
	name string
	typ  tile.DType
	axes int
}

// frozen is the value of such an array.
func (l *lower) frozen(at int) value {
	a := l.unit.arrays[at]
	if !l.cuda {
		panic(&Error{unsupported, fmt.Sprintf("the array %s is not an argument of the function; pass it as one", a.name)})
	}
	return value{typ: ArrayOf(a.typ, a.axes), array: l.leaves + at, constant: true}
}
