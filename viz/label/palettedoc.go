package label

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"weft/profiler"
)

// PaletteDocument is the name under which a palette travels with a profile, so that its viewer shows each operation in
// the color that the notebook's pictures gave it.
const PaletteDocument = "palette.json"

// paletteRow is one color of the document, in the order in which they were given.
type paletteRow struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// Document returns the palette as a text that PaletteOf reads.
func (p *Palette) Document() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows := make([]paletteRow, 0, len(p.colors))
	for key, color := range p.colors {
		rows = append(rows, paletteRow{key.Kind.String(), key.Text, color})
	}
	slices.SortFunc(rows, func(a, b paletteRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	text, err := json.Marshal(rows)
	if err != nil {
		panic(fmt.Sprintf("BUG: inv 2: the palette has no JSON form: %v", err))
	}
	return string(text)
}

// PaletteOf returns the palette among a profile's documents; nil if there is none.
func PaletteOf(texts []profiler.Text) (*Palette, error) {
	at := slices.IndexFunc(texts, func(x profiler.Text) bool { return x.Name == PaletteDocument })
	if at < 0 {
		return nil, nil
	}
	var rows []paletteRow
	if err := json.Unmarshal([]byte(texts[at].Body), &rows); err != nil {
		return nil, fmt.Errorf("viz/label: the palette of the profile cannot be read: %w; want what this version of weft has written", err)
	}
	kinds := map[string]profiler.Kind{}
	for k := range profiler.Kinds() {
		kinds[profiler.Kind(k).String()] = profiler.Kind(k)
	}
	p := NewPalette()
	for i, row := range rows {
		kind, known := kinds[row.Kind]
		if !known || !PlainColor.MatchString(row.Color) || i == mostColors {
			return nil, fmt.Errorf("viz/label: row %d of the profile's palette is %.20q of %.20q; want a kind of bars, #rrggbb and at most %d rows", i, row.Color, row.Kind, mostColors)
		}
		key := Key{row.Name, kind}
		if _, twice := p.colors[key]; !twice {
			p.colors[key] = row.Color
			p.used[kind]++
		}
	}
	return p, nil
}
