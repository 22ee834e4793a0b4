package report

import (
	"strings"
	"testing"

	"weft/profiler"
)

func TestMemoryPlot(t *testing.T) {
	trace, err := profiler.Parse(strings.NewReader(`trace 0
lane "cpu0" "cpu" "cpu" lost 0
lane "host memory" "memory" "cpu" lost 0
lane "gpu0 memory" "memory" "gpu0" lost 0
lane "<gpu1> memory" "memory" "gpu1" lost 0
record run 0 0 1000 t1
record alloc 1 0 0 bytes 1000000
record alloc 1 500 500 bytes 3000000
record free 1 501 501 bytes 3000000
record alloc 3 250 250 bytes 500
`))
	if err != nil {
		t.Fatal(err)
	}
	p := NewMemoryPlot(trace, "memory of <everything>", map[string]int64{"host memory": 8_000_000})
	if len(p.Rows) != 2 || p.Rows[0].Peak() != 4_000_000 || p.Rows[1].Peak() != 500 {
		t.Fatalf("got %+v", p.Rows)
	}
	svg := p.SVG()
	for _, want := range []string{"peak 4.00 MB, 50% of 8.00 MB", "1.00 MB at the end", "&lt;gpu1&gt; memory", "memory of &lt;everything&gt;"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q:\n%s", want, svg)
		}
	}
	clipped := NewMemoryPlot(trace, "", nil)
	clipped.Clip(100, 400)
	if rows := clipped.Rows; len(rows) != 2 || rows[0].Peak() != 1_000_000 || rows[0].Uses[0].At != 100 || clipped.End != 400 {
		t.Errorf("clipped: %+v", rows)
	}
	// The peak of two steps within a pixel shows: its height is that of the band less the room for the text.
	if !strings.Contains(svg, "V24.0") {
		t.Errorf("no line reaches the peak:\n%s", svg)
	}
}
