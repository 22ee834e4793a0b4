package label

import (
	"cmp"
	"hash/fnv"
	"regexp"
	"slices"
	"sync"

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

	profiler.Python:    {"#4e86c6"},
	profiler.Call:      {"#d2a24c", "#b98a3a", "#a67b5b", "#c9b458"},
	profiler.Recording: {"#8aa3c2"},
	profiler.Small:     {"#7fa6d6"},
}

// PlainColor is the only form of color that may go into a page: anything else could be a style.
var PlainColor = regexp.MustCompile("^#[0-9a-f]{6}$")

// Key is what bars of one color have in common.
type Key struct {
	Text string
	Kind profiler.Kind
}

// Palette gives each name a color: the first ones different ones, the others what is left, by their letters. Pictures
// that share one show an operation in one color. Any goroutine may use it.
type Palette struct {
	mu     sync.Mutex
	colors map[Key]string
	used   map[profiler.Kind]int
}

// NewPalette returns a palette that has given no color yet.
func NewPalette() *Palette {
	return &Palette{colors: map[Key]string{}, used: map[profiler.Kind]int{}}
}

// mostColors bounds what a palette remembers; later names have what their letters say.
const mostColors = 1 << 14

func (p *Palette) Color(key Key) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if color, known := p.colors[key]; known {
		return color
	}
	choice := kindColors[key.Kind]
	if choice == nil {
		choice = opColors
	}
	n := p.used[key.Kind]
	p.used[key.Kind]++
	if n >= len(choice) {
		h := fnv.New32a()
		h.Write([]byte(key.Text))
		n = int(h.Sum32() % uint32(len(choice)))
	}
	if len(p.colors) < mostColors {
		p.colors[key] = choice[n]
	}
	return choice[n]
}

// Operation is the color of an op, and copies that of copies for a reason; nothing without a palette.
func (p *Palette) Operation(name string) string { return p.named(Key{name, profiler.Run}) }

func (p *Palette) Copies(cause string) string { return p.named(Key{cause, profiler.Copy}) }

func (p *Palette) named(key Key) string {
	if p == nil {
		return ""
	}
	return p.Color(key)
}

// Give gives the names of a trace a color, those first that take most time.
func (p *Palette) Give(t *profiler.Trace) {
	times, titles := map[Key]int64{}, NewTitles(t)
	for i := range t.Records {
		rec := &t.Records[i]
		times[Key{titles.Of(rec), rec.Kind}] += rec.End - rec.Start
	}
	p.GiveByTime(times)
}

// GiveByTime gives names a color, those first that take most time.
func (p *Palette) GiveByTime(times map[Key]int64) {
	keys := make([]Key, 0, len(times))
	for key := range times {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	for _, key := range keys {
		p.Color(key)
	}
}
