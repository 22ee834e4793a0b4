package live

import (
	"weft/profiler"
	"weft/viz/detail"
	"weft/viz/label"
	"weft/viz/report"
)

// pageTables are the tables that bars refer to by number, Tables of timeline/src/trace.ts. They only ever
// grow at their ends, so that a viewer that follows a run is sent the new rows; a source may come again with another
// text.
type pageTables struct {
	Lanes   []pageLane        `json:"lanes"`
	Names   []pageName        `json:"names"`
	Places  []pagePlace       `json:"places"`
	Forms   []pageForm        `json:"forms"`
	Groups  []pageGroup       `json:"groups"`
	Sources []profiler.Source `json:"sources"`
}

// pageGroup is what many bars have in common, by the numbers of other tables.
type pageGroup struct {
	Name   uint32 `json:"name"`
	Place  uint32 `json:"place"`
	Form   uint32 `json:"form"`
	Detail string `json:"detail,omitempty"`
}

type pageLane struct {
	profiler.LaneInfo
	Lost uint64 `json:"lost"`
	Run  int    `json:"run"` // which of two runs that are compared
}

type pageName struct {
	Text  string `json:"text"`
	Kind  string `json:"kind"`
	Color string `json:"color"`
}

type pagePlace struct {
	profiler.Where
	Text string `json:"text"`
	Rate string `json:"rate,omitempty"` // of its passes, over all of the trace
}

type pageForm struct {
	Name    string `json:"name"` // of the operation, as the runtime calls it
	Kind    string `json:"kind"`
	Shape   string `json:"shape"`
	Program string `json:"program"`

	Parts [][2]uint32 `json:"parts,omitempty"` // place and number of operations, of what was fused
	Lines string      `json:"lines,omitempty"` // of these, for people
}

// catalog makes page tables out of a store's.
type catalog struct {
	tables  pageTables
	palette *label.Palette
	rates   report.LineRates
	second  int // first lane of the second run; 0 is none
	names   map[label.Key]uint32
	places  map[profiler.Where]uint32
	forms   map[uint32]uint32
	texts   map[uint32]string // of the sources in the tables
}

func newCatalog(colors *label.Palette) *catalog {
	if colors == nil {
		colors = label.NewPalette()
	}
	c := &catalog{
		tables: pageTables{
			Lanes: []pageLane{}, Names: []pageName{}, Places: []pagePlace{{}}, Forms: []pageForm{{}}, Groups: []pageGroup{}, Sources: []profiler.Source{},
		},
		palette: colors,
		names:   map[label.Key]uint32{}, places: map[profiler.Where]uint32{{}: 0}, forms: map[uint32]uint32{0: 0}, texts: map[uint32]string{},
	}
	return c
}

// update adds what is new in a store.
func (c *catalog) update(s *detail.Store) {
	t := s.Tables()
	for i, l := range t.Lanes {
		var lost uint64
		if i < len(t.Lost) {
			lost = t.Lost[i]
		}
		if i < len(c.tables.Lanes) {
			c.tables.Lanes[i].Lost = lost
			continue
		}
		run := 0
		if c.second > 0 && i >= c.second {
			run = 1
		}
		c.tables.Lanes = append(c.tables.Lanes, pageLane{l, lost, run})
	}
	for _, g := range s.Groups()[len(c.tables.Groups):] {
		c.tables.Groups = append(c.tables.Groups, c.group(s, g))
	}
	for _, src := range t.Sources {
		if text, used := c.texts[src.ID]; used && text != src.Name+"\x00"+src.Text {
			c.texts[src.ID] = src.Name + "\x00" + src.Text
			c.tables.Sources = append(c.tables.Sources, src)
		}
	}
}

func (c *catalog) group(s *detail.Store, g detail.Group) pageGroup {
	t := s.Tables()
	name := label.Key{Text: s.Name(g), Kind: g.Kind}
	where := s.Where(g)
	if line := label.OfLine(s.LineText(where)); line != "" && g.Kind == profiler.Run {
		name.Text = line
	}
	form := &t.Forms[g.Form]
	return pageGroup{
		Name: intern(c.names, name, func() {
			c.tables.Names = append(c.tables.Names, pageName{name.Text, name.Kind.String(), c.palette.Color(name)})
		}),
		Place: c.place(t, where),
		Form: intern(c.forms, g.Form, func() {
			c.tables.Forms = append(c.tables.Forms, c.form(t, form))
		}),
		Detail: t.Labels[g.Label].Detail,
	}
}

func (c *catalog) place(t *profiler.Trace, where profiler.Where) uint32 {
	return intern(c.places, where, func() {
		c.tables.Places = append(c.tables.Places, pagePlace{where, t.PlaceName(where), c.rates[where]})
		if _, known := c.texts[where.Source]; !known {
			c.texts[where.Source] = ""
		}
	})
}

func (c *catalog) form(t *profiler.Trace, form *profiler.Form) pageForm {
	f := pageForm{Name: form.Name, Kind: form.Kind, Shape: form.Shape, Program: form.Program}
	if form.Parts != "" {
		for _, part := range form.Parts.Lines() {
			f.Parts = append(f.Parts, [2]uint32{c.place(t, part.Where), uint32(part.Operations)})
		}
		f.Lines = t.PlacesName(form)
	}
	return f
}

func intern[K comparable](index map[K]uint32, key K, add func()) uint32 {
	at, known := index[key]
	if !known {
		at = uint32(len(index))
		index[key] = at
		add()
	}
	return at
}
