package scheduler

import (
	"encoding/binary"
	"fmt"
	"strings"

	"weft/internal/invariants"
	"weft/tile"
)

// rewrite replaces the window's ops by the groups, in their order, with the releases behind
// them. A window in which nothing was fused stays as it is.
func (f *fuser) rewrite(c *Core) {
	fused := false
	for i := range f.groups {
		fused = fused || len(f.groups[i].members) > 1
	}
	if !fused {
		return
	}
	window := f.window[:0]
	for i := range f.groups {
		g := &f.groups[i]
		if len(g.members) == 1 {
			window = append(window, c.window[g.members[0].entry])
			continue
		}
		if e := f.entry(c, g); e.op != nil {
			window = append(window, e)
		}
	}
	for i := range c.window {
		if c.window[i].release != nil {
			window = append(window, c.window[i])
		}
	}
	f.window = c.window
	clear(f.window)
	c.window = window
}

// fusedProgram is the program of a group and the slots of its parameters.
type fusedProgram struct {
	program *tile.Program // nil: nothing that can be seen is computed
	params  []int32
}

// entry makes one op of a group. Its ID, name and place are those of the last member: it is
// the one that the user waits for.
func (f *fuser) entry(c *Core, g *group) entry {
	p := f.program(c, g)
	if p.program == nil {
		return entry{}
	}
	last := c.window[g.members[len(g.members)-1].entry].op
	op := &Op{ID: last.ID, Kind: Map, Name: p.program.Name, Shape: g.shape, Program: p.program, Where: last.Where}
	if g.reduces {
		op.Kind, op.Reduced = Reduce, g.reduced
	}
	op.Parts = make([]*Op, len(g.members))
	for i := range g.members {
		part := c.window[g.members[i].entry].op
		op.Parts[i] = part
		op.Uniforms = append(op.Uniforms, part.Uniforms...)
	}
	e := entry{op: op, uses: make([]use, len(p.params))}
	op.Uses = make([]Use, len(p.params))
	points := int64(1)
	for _, n := range g.shape {
		points *= int64(n)
	}
	if g.reduces {
		e.block = tile.BlockShape(op.Shape, op.Reduced)
	}
	for i, k := range p.params {
		s := &g.slots[k]
		write := p.program.Params[i].Dir == tile.Out
		op.Uses[i] = Use{View: s.view}
		if write {
			op.Uses[i].Access, op.Uses[i].Renews = Write, s.renews
		}
		e.uses[i] = use{store: s.store, bytes: s.bytes, dense: s.dense, write: write, renew: write && s.renews}
		e.work += points * int64(s.view.Type.Size())
	}
	c.fusedOps += len(g.members)
	if invariants.Enabled {
		_, err := c.check(op)
		invariants.Check(err == nil, 1, "a fused op is malformed: %v", err)
	}
	return e
}

// alive reports whether somebody may read what the group writes through a slot.
func (g *group) alive(k int) bool {
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
	return !s.store.dies || uses != s.store.windowUses
}

// maxFusedPrograms bounds what is remembered; a program that keeps making new ones forgets
// them all now and then.
const maxFusedPrograms = 2048

// program returns the program of a group. It depends on the members' programs and on which
// operands are the same; loops find theirs here.
func (f *fuser) program(c *Core, g *group) fusedProgram {
	if f.programs == nil || len(f.programs) >= maxFusedPrograms || len(f.numbers) >= maxFusedPrograms {
		f.programs, f.numbers = map[string]fusedProgram{}, map[*tile.Program]uint32{}
	}
	key := append(f.key[:0], byte(len(g.shape)), byte(len(g.slots)))
	for k := range g.slots {
		flag := byte(0)
		if g.alive(k) {
			flag = 1
		}
		key = append(key, flag)
	}
	for i := range g.members {
		m := &g.members[i]
		p := c.window[m.entry].op.Program
		n, ok := f.numbers[p]
		if !ok {
			n = uint32(len(f.numbers))
			f.numbers[p] = n
		}
		key = binary.LittleEndian.AppendUint32(key, n)
		for _, s := range m.slots {
			key = append(key, byte(s))
		}
	}
	f.key = key
	if p, ok := f.programs[string(key)]; ok {
		return p
	}
	p := f.build.program(c, g)
	if invariants.Enabled && p.program != nil {
		err := tile.Check(p.program)
		invariants.Check(err == nil, 1, "a fused program is malformed: %v", err)
	}
	f.programs[string(key)] = p
	return p
}

// builder puts the members' programs together: loads of what a member has stored become the
// stored value, equal instructions one, and what nobody needs is left out.
type builder struct {
	code    []tile.Instr
	known   map[tile.Instr]tile.Value
	current []tile.Value // by slot: its value at this point
	writes  []reduction
}

// reduction is a Reduce instruction of a member.
type reduction struct {
	slot  int32
	instr tile.Instr
}

func (b *builder) program(c *Core, g *group) fusedProgram {
	b.code, b.writes = b.code[:0], b.writes[:0]
	b.known = map[tile.Instr]tile.Value{}
	b.current = b.current[:0]
	for range g.slots {
		b.current = append(b.current, tile.NoValue)
	}
	var uniforms []tile.DType
	var names []string
	for i := range g.members {
		op := c.window[g.members[i].entry].op
		b.member(op.Program, &g.members[i], int32(len(uniforms)))
		uniforms = append(uniforms, op.Program.Uniforms...)
		names = append(names, op.Name)
	}
	for k := range g.slots {
		if s := &g.slots[k]; s.writes && !s.result && g.alive(k) {
			b.writes = append(b.writes, reduction{int32(k), tile.Instr{
				Op: tile.Store, Type: s.view.Type, Args: [3]tile.Value{b.current[k], tile.NoValue, tile.NoValue},
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
func (b *builder) member(p *tile.Program, m *member, firstUniform int32) {
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
		if in.Op == tile.Load {
			params = append(params, in.N)
			p.Params = append(p.Params, tile.Param{Dir: tile.In, Type: in.Type})
			in.N = int32(len(params) - 1)
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
	return params
}

// fusedName names a group by its members: multiply+add, or add+...+sum (9).
func fusedName(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, "+")
	}
	return fmt.Sprintf("%s+...+%s (%d)", names[0], names[len(names)-1], len(names))
}
