package fuse

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/invariants"
	"weft/internal/lru"
	"weft/scheduler"
	"weft/tile"
)

// fusedProgram is the program of a group and the slots of its parameters.
type fusedProgram struct {
	program *tile.Program // nil: nothing that can be seen is computed
	params  []int32
}

// capture makes the groups a template, which every window of the same signature can be replayed from.
func (f *Fuser) capture() *Template {
	t := &Template{Ops: make([]Op, 0, len(f.groups))}
	for i := range f.groups {
		g := &f.groups[i]
		o := Op{Members: make([]int32, len(g.members))}
		for k := range g.members {
			o.Members[k] = int32(g.members[k].entry)
			if turn := g.members[k].turn; turn != nil {
				if o.Turns == nil {
					o.Turns = make([][]int, len(g.members))
				}
				o.Turns[k] = turn
			}
		}
		if len(g.members) > 1 {
			f.describe(g, &o)
		}
		t.add(o)
	}
	for _, s := range f.splits {
		if f.groupOf(s.Op) != f.groupOf(s.From) { // sink may have brought them together
			t.Splits = append(t.Splits, s)
		}
	}
	return t
}

// groupOf returns the group of an entry.
func (f *Fuser) groupOf(entry int32) int {
	return slices.IndexFunc(f.groups, func(g group) bool {
		return slices.ContainsFunc(g.members, func(m member) bool { return m.entry == int(entry) })
	})
}

// describe fills in what an op made of the group consists of.
func (f *Fuser) describe(g *group, o *Op) {
	made := f.program(g)
	if made.program == nil {
		o.Turns = nil
		return
	}
	o.Program, o.Shape, o.Kind = made.program, g.shape, scheduler.Map
	if g.reduces {
		o.Kind, o.Reduced = scheduler.Reduce, g.reduced
	}
	o.Operands = make([]Operand, len(made.params))
	for i, k := range made.params {
		s := &g.slots[k]
		o.Operands[i] = Operand{
			Entry: s.entry, Use: s.use, View: s.view,
			Renews: made.program.Params[i].Dir == tile.Out && s.renews,
		}
		o.Operands[i].View.Store = 0
	}
}

// alive reports whether what the group writes through a slot may be read outside of the group.
//
// Uses are counted by operands: f.stores has those of the window, slots those of members. If all of them are in
// here, and the window releases the store, the value is a register's.
func (f *Fuser) alive(g *group, k int) bool {
	s := &g.slots[k]
	if !s.writes {
		return false
	}
	uses := 0
	for j := range g.slots {
		if g.slots[j].store == s.store {
			uses += g.slots[j].uses
		}
	}
	return !f.stores[s.store].dies || uses != f.stores[s.store].uses
}

// program returns the program of a group. It depends on the members' programs and names, and on which
// operands are the same; loops find theirs here.
//
// The key has all that build looks at: rank and number of slots, which slots live on, and each member's program and
// slots. Numbers of axes and slots fit a byte: there are at most scheduler.MaxAxes and maxGroupSlots.
func (f *Fuser) program(g *group) fusedProgram {
	key := append(f.programKey[:0], byte(len(g.shape)), byte(len(g.slots)))
	for k := range g.slots {
		flag := byte(0)
		if f.alive(g, k) {
			flag = 1
		}
		key = append(key, flag)
	}
	for i := range g.members {
		m := &g.members[i]
		key = f.Named(key, f.window.Entries[m.entry].Op)
		for _, s := range m.slots {
			key = append(key, byte(s))
		}
	}
	f.programKey = key
	if known, ok := lru.GetBytes(f.programs, key); ok {
		return known
	}
	p := f.build.program(f, g)
	if invariants.Enabled && p.program != nil {
		err := tile.Check(p.program)
		invariants.Check(err == nil, 1, "a fused program is malformed: %v", err)
	}
	f.programs.Add(string(key), p, programSize(p.program)+4*int64(len(p.params))+int64(len(key)))
	return p
}

// builder puts the members' programs together: loads of what a member has stored become the
// stored value, equal instructions one, and instructions without a use are left out.
//
// What it does is value numbering (as compilers do within a block): known maps an instruction, its operands being
// values of this program, to the value that it gave. Instructions are pure, so that the same one gives the same value,
// except for loads behind a store, which current answers.
//
//	member 0   p0 = load a; p1 = load b; p2 = add p0 p1; store t p2       v0 = load a; v1 = load b; v2 = add v0 v1
//	member 1   p0 = load t; p1 = load a; p2 = mul p0 p1; store u p2       v3 = mul v2 v0
//
// current is that: by slot, the last value stored or loaded, at this point of the group.
type builder struct {
	code    []tile.Instr
	known   map[tile.Instr]tile.Value
	current []tile.Value // by slot: its value at this point
	writes  []reduction
	watched []tile.Watched // of the members
}

// reduction is a Reduce instruction of a member.
type reduction struct {
	slot  int32
	instr tile.Instr
}

func (b *builder) program(f *Fuser, g *group) fusedProgram {
	b.code, b.writes, b.watched = b.code[:0], b.writes[:0], b.watched[:0]
	b.known = map[tile.Instr]tile.Value{}
	b.current = b.current[:0]
	for range g.slots {
		b.current = append(b.current, tile.NoValue)
	}
	var uniforms []tile.DType
	var names []string
	for i := range g.members {
		op := f.window.Entries[g.members[i].entry].Op
		b.member(i, op.Program, &g.members[i], int32(len(uniforms)))
		uniforms = append(uniforms, op.Program.Uniforms...)
		names = append(names, op.Name)
	}
	for k := range g.slots {
		if s := &g.slots[k]; s.writes && !s.result && f.alive(g, k) {
			b.writes = append(b.writes, reduction{int32(k), tile.Instr{
				Op: tile.Store, Type: s.view.Type, Args: tile.Operands(b.current[k]),
			}})
		}
	}
	p := &tile.Program{Name: fusedName(names), Rank: len(g.shape), Uniforms: uniforms}
	params := b.finish(g, p)
	if params == nil {
		return fusedProgram{}
	}
	return fusedProgram{p, params}
}

// member appends the instructions of one member. While they stand in b.code, loads name
// slots instead of parameters. What the member stores counts for those after it: it reads
// its operands before it writes.
func (b *builder) member(part int, p *tile.Program, m *member, firstUniform int32) {
	// values maps a member's own values to those of the group.
	values := make([]tile.Value, len(p.Code))
	type stored struct {
		slot  int32
		value tile.Value
	}
	var stores []stored
	for i := range p.Code {
		in := p.Code[i]
		for k := range in.Args {
			if in.Args[k] != tile.NoValue {
				in.Args[k] = values[in.Args[k]]
			}
		}
		switch in.Op {
		case tile.Load:
			s := m.slots[in.N]
			if b.current[s] == tile.NoValue {
				in.N = s
				b.current[s] = b.value(in)
			}
			values[i] = b.current[s]
		case tile.Gather:
			in.N = m.slots[in.N]
			values[i] = b.value(in)
		case tile.Store:
			stores = append(stores, stored{m.slots[in.N], in.Args[0]})
		case tile.Reduce:
			b.writes = append(b.writes, reduction{m.slots[in.N], in})
		case tile.Uniform:
			in.N += firstUniform
			values[i] = b.value(in)
		default:
			values[i] = b.value(in)
		}
	}
	for _, s := range stores {
		b.current[s.slot] = s.value
	}
	for _, w := range p.Watched {
		w.Part, w.X, w.Out = part, values[w.X], values[w.Out]
		if w.Y != tile.NoValue {
			w.Y = values[w.Y]
		}
		b.watched = append(b.watched, w)
	}
}

// value returns the value of an instruction, which is an old one if the instruction is.
func (b *builder) value(in tile.Instr) tile.Value {
	v, ok := b.known[in]
	if !ok {
		v = tile.Value(len(b.code))
		b.code = append(b.code, in)
		b.known[in] = v
	}
	return v
}

// finish moves what is needed into the program and returns the slots of its parameters, nil
// when nothing is.
//
// It walks back from what is written to what that needs, and numbers anew what is left. Loads come in the order in
// which the code has them, writes behind all of them: the order of parameters is that of the operands of the fused op.
func (b *builder) finish(g *group, p *tile.Program) []int32 {
	if len(b.writes) == 0 {
		return nil
	}
	needed := make([]bool, len(b.code))
	for _, w := range b.writes {
		needed[w.instr.Args[0]] = true
	}
	for i := len(b.code) - 1; i >= 0; i-- {
		if needed[i] {
			for _, a := range b.code[i].Args {
				if a != tile.NoValue {
					needed[a] = true
				}
			}
		}
	}
	var params []int32
	moved := make([]tile.Value, len(b.code))
	for i, in := range b.code {
		if !needed[i] {
			continue
		}
		for k, a := range in.Args {
			if a != tile.NoValue {
				in.Args[k] = moved[a]
			}
		}
		switch k := in.N; in.Op {
		case tile.Load:
			in.N = int32(len(params))
			params = append(params, k)
			p.Params = append(p.Params, tile.Param{Dir: tile.In, Type: in.Type})
		case tile.Gather: // several may share a parameter
			if in.N = int32(slices.Index(params, k)); in.N < 0 {
				in.N = int32(len(params))
				params = append(params, k)
				p.Params = append(p.Params, tile.Param{Dir: tile.In, Type: in.Type, Axes: len(in.Operands())})
			}
		}
		moved[i] = tile.Value(len(p.Code))
		p.Code = append(p.Code, in)
	}
	for _, w := range b.writes {
		in := w.instr
		in.Args[0] = moved[in.Args[0]]
		params = append(params, w.slot)
		p.Params = append(p.Params, tile.Param{Dir: tile.Out, Type: in.Type})
		in.N = int32(len(params) - 1)
		p.Code = append(p.Code, in)
	}
	for _, w := range b.watched { // operations without a use are not done
		if needed[w.Out] && needed[w.X] && (w.Y == tile.NoValue || needed[w.Y]) {
			w.X, w.Out = moved[w.X], moved[w.Out]
			if w.Y != tile.NoValue {
				w.Y = moved[w.Y]
			}
			p.Watched = append(p.Watched, w)
		}
	}
	return params
}

// fusedName names a group by its members: multiply+add, or add+...+sum (9).
func fusedName(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, "+")
	}
	return fmt.Sprintf("%s+...+%s (%d)", names[0], names[len(names)-1], len(names))
}
