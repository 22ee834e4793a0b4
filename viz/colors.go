package viz

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// opColors are for names of ops: mid tones that show on light and on dark pages. Orange and
// red are not among them; they mean copies and fallbacks.
var opColors = []string{
	"#4e86c6", "#57a55a", "#9b72cf", "#3bb3b3", "#c9a227", "#d06ba8",
	"#6f7fd8", "#8fb339", "#2f8f83", "#a9765a", "#5aa9e6", "#b48ad6",
}

// kindColors are for everything else; the names of one kind share its shades.
var kindColors = map[profiler.Kind][]string{
	profiler.Copy:     {"#f08c2e", "#d9730d", "#f5b041", "#c2611f"},
	profiler.Alloc:    {"#62b6a6"},
	profiler.Free:     {"#9aa5b4"},
	profiler.Wait:     {"#a3adbb"},
	profiler.Plan:     {"#b39ddb"},
	profiler.Fallback: {"#e5484d", "#c93a3f"},
	profiler.Cell:     {"#7f8ea3", "#6b7a8f"},
	profiler.Range:    {"#8c9a5b", "#a38f4d", "#7a8f6b", "#9c7f5f"},
	profiler.Pass:     {"#c5b3e6"},
}

// nameKey is what bars of one color have in common.
type nameKey struct {
	text string
	kind profiler.Kind
}

// colorNames gives each name a color: the names that take most time get different ones, the
// others what is left, by their letters, so that a name keeps its color.
func colorNames(times map[nameKey]int64) map[nameKey]string {
	keys := make([]nameKey, 0, len(times))
	for key := range times {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b nameKey) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text))
	})
	p := newPalette()
	for _, key := range keys {
		p.color(key)
	}
	return p.colors
}
