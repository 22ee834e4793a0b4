package detail

import (
	"slices"
	"strings"

	"weft/profiler"
)

// Group is what many records have in common: all that is shown of them but time, place on the screen and numbers.
type Group struct {
	Kind  profiler.Kind
	Form  uint32 // index into the forms
	Label uint32 // index into the labels
}

// groups numbers the groups in the order of their arrival.
type groups struct {
	rows  []Group
	index map[Group]uint32
	near  [nearGroups]nearGroup // saves the look into the index for groups that come again and again
}

const (
	nearGroups = 256
	maxGroups  = 1 << 18 // further ones lose their label, and then their form
)

type nearGroup struct {
	key   Group
	at    uint32
	known bool
}

func newGroups() groups {
	return groups{index: map[Group]uint32{}}
}

func (g *groups) number(key Group) uint32 {
	near := &g.near[(key.Form*5+key.Label*13+uint32(key.Kind))%nearGroups]
	if near.known && near.key == key {
		return near.at
	}
	at, known := g.index[key]
	if !known && len(g.rows) >= maxGroups && key.Label+key.Form != 0 {
		if key.Label != 0 {
			return g.number(Group{Kind: key.Kind, Form: key.Form})
		}
		return g.number(Group{Kind: key.Kind})
	}
	if !known {
		at = uint32(len(g.rows))
		g.index[key] = at
		g.rows = append(g.rows, key)
	}
	*near = nearGroup{key, at, true}
	return at
}

// groupOf returns the number of a record's group.
func (s *Store) groupOf(rec *profiler.Record) uint32 {
	return s.groups.number(Group{rec.Kind, s.ops.form(rec.Op), rec.Label})
}

// GroupOf returns the number of the group of a record that is not in the store, such as one that still runs.
func (s *Store) GroupOf(rec *profiler.Record) uint32 {
	if int(rec.Label) >= len(s.tables.Labels) {
		rec.Label = 0
	}
	return s.groupOf(rec)
}

// Groups returns all groups so far. New ones come at the end.
func (s *Store) Groups() []Group { return s.groups.rows }

// names are the tables by which groups are known.
type names struct {
	tables *profiler.Trace
	groups []Group
}

func (s *Store) names() names { return names{&s.tables, s.groups.rows} }

// Name returns what the records of a group are called, in the words of profiler.Trace.Name.
func (s *Store) Name(g Group) string { return s.names().name(g) }

// Where returns the place of a group: its label's, or its form's.
func (s *Store) Where(g Group) profiler.Where { return s.names().where(g) }

// LineText returns the text of a line of the user's program; nothing where it is not known.
func (s *Store) LineText(w profiler.Where) string { return s.names().lineText(w) }

func (n names) name(g Group) string {
	if name := n.tables.Labels[g.Label].Name; name != "" {
		return name
	}
	if name := n.tables.Forms[g.Form].Name; name != "" && g.Kind == profiler.Run {
		return name
	}
	return g.Kind.String()
}

func (n names) where(g Group) profiler.Where {
	if w := n.tables.Labels[g.Label].Where; w != (profiler.Where{}) {
		return w
	}
	return n.tables.Forms[g.Form].Where
}

// lineText returns the text of a line of the user's program.
func (n names) lineText(w profiler.Where) string {
	if w.Line <= 0 {
		return ""
	}
	for _, src := range n.tables.Sources {
		if src.ID == w.Source {
			lines := strings.SplitN(src.Text, "\n", int(w.Line)+1)
			if int(w.Line) <= len(lines) {
				return lines[w.Line-1]
			}
		}
	}
	return ""
}

// opIndex knows the form of each op. Ops are numbered one after the other, so that a slice is enough but for
// those of a trace from elsewhere.
type opIndex struct {
	first uint32
	forms []uint32
	far   map[uint32]uint32
}

// maxGap is how many unknown ops between two known ones are worth their place.
const maxGap = 1 << 12

func (x *opIndex) add(ops []profiler.Op) {
	for _, op := range ops {
		if len(x.forms) == 0 {
			x.first = op.ID
		}
		at := int64(op.ID) - int64(x.first)
		if at < 0 || at > int64(len(x.forms))+maxGap {
			if x.far == nil {
				x.far = map[uint32]uint32{}
			}
			x.far[op.ID] = op.Form
			continue
		}
		for int64(len(x.forms)) <= at {
			x.forms = append(x.forms, 0)
		}
		x.forms[at] = op.Form
	}
}

// mostOps is how many ops a store with a limit remembers: records name new ones.
const mostOps = 1 << 22

// forget drops old ops where the store is bounded.
func (x *opIndex) forget(limit int) {
	if limit == 0 {
		return
	}
	if n := len(x.forms) - mostOps; n > mostOps {
		x.first, x.forms = x.first+uint32(n), slices.Clone(x.forms[n:])
	}
	if len(x.far) > mostOps {
		clear(x.far)
	}
}

// form returns the form of an op, 0 if it is not known.
func (x *opIndex) form(op uint32) uint32 {
	if at := int64(op) - int64(x.first); at >= 0 && at < int64(len(x.forms)) {
		return x.forms[at]
	}
	return x.far[op]
}
