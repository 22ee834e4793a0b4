package live_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/live"
	"weft/viz/viztest"
)

// heatTrace is a made-up run: two cells, four GPUs with copy channels, a program that waits.
func heatTrace(steps int) *profiler.Trace {
	r := rand.New(rand.NewPCG(1, 2))
	t := &profiler.Trace{
		Machine: []profiler.Field{{Key: "gpus", Value: "4 emulated"}, {Key: "weft", Value: "0.1"}},
		Sources: []profiler.Source{
			{ID: 1, Name: "In [2]", Text: "import numpy as np\ngrid = np.zeros((4000, 4000))\ngrid[0] = 1\n"},
			{ID: 2, Name: "In [3]", Text: "for step in range(100):\n    new = 0.2 * (grid[1:-1, 1:-1] + grid[:-2, 1:-1] + grid[2:, 1:-1])\n    delta = abs(new - old).max()\n    grid[1:-1, 1:-1] = new\nnp.fft.fft2(grid)  # <script>alert(1)</script>\n"},
		},
		Forms: []profiler.Form{
			{}, {Name: "zeros", Kind: "fill", Where: profiler.Where{Source: 1, Line: 2}, Shape: "(4000,4000)"},
			{Name: "stencil", Kind: "map", Where: profiler.Where{Source: 2, Line: 2}, Shape: "(3998,3998)", Program: "program stencil rank 2\nparam p0 in float64\nv0 = load float64 p0\nstore p1 v0\n"},
			{Name: "max", Kind: "reduce", Where: profiler.Where{Source: 2, Line: 3}, Shape: "(3998,3998)"},
			{Name: "copy", Kind: "move", Where: profiler.Where{Source: 2, Line: 4}, Shape: "(3998,3998)"},
		},
		Labels: []profiler.Label{
			{}, {Name: "halo", Where: profiler.Where{Source: 2, Line: 2}}, {Name: "float()", Where: profiler.Where{Source: 2, Line: 3}},
			{Name: "fft.fft2", Where: profiler.Where{Source: 2, Line: 5}}, {Name: "In [2]", Where: profiler.Where{Source: 1}}, {Name: "In [3]", Where: profiler.Where{Source: 2}},
			{Name: "upload", Where: profiler.Where{Source: 1, Line: 3}},
		},
	}
	for g := range 4 {
		t.Lanes = append(t.Lanes, profiler.LaneInfo{Name: fmt.Sprint("gpu", g), Kind: "gpu", Device: fmt.Sprint("gpu", g)},
			profiler.LaneInfo{Name: fmt.Sprintf("gpu%d copy", g), Kind: "copy", Device: fmt.Sprint("gpu", g)})
	}
	t.Lanes = append(t.Lanes, profiler.LaneInfo{Name: "program", Kind: "program"})
	t.Lost = make([]uint64, len(t.Lanes))
	task, op := uint32(0), uint32(0)
	now := int64(2e6)
	add := func(kind profiler.Kind, lane int, start, ns, size int64, label uint32) {
		task++
		t.Records = append(t.Records, profiler.Record{Kind: kind, Lane: uint16(lane), Start: start, End: start + ns, Bytes: size, Task: task, Op: op, Label: label})
	}
	launch := func(form uint32, ns int64) {
		op++
		t.Ops = append(t.Ops, profiler.Op{ID: op, Form: form})
		end := now
		for g := range 4 {
			start := now + r.Int64N(ns/8+1)
			length := ns + r.Int64N(ns/4+1)
			add(profiler.Run, 2*g, start, length, 64e6, 0)
			end = max(end, start+length)
		}
		now = end
	}
	launch(1, 3e6)
	for g := range 4 {
		add(profiler.Copy, 2*g+1, now, 1e6, 8e6, 6)
	}
	now += 1e6
	cell := now
	for range steps {
		for g := range 3 {
			add(profiler.Copy, 2*g+3, now, 3e5+r.Int64N(1e5), 32000, 1)
		}
		now += 4e5
		launch(2, 4e6)
		launch(3, 15e5)
		add(profiler.Wait, 8, now-6e6, 6e6, 0, 2)
		launch(4, 2e6)
	}
	op = 0
	add(profiler.Fallback, 8, now, 8e6, 256e6, 3)
	add(profiler.Cell, 8, 0, cell, 0, 4)
	add(profiler.Cell, 8, cell+1000, now+9e6-cell, 0, 5)
	slices.SortFunc(t.Records, func(a, b profiler.Record) int {
		return int(a.Lane)<<32 - int(b.Lane)<<32 + int(min(max(a.Start-b.Start, -1), 1))<<1 + int(min(max(b.End-a.End, -1), 1))
	})
	return t
}

func TestTraceIsValid(t *testing.T) {
	if err := heatTrace(100).Check(); err != nil {
		t.Fatal(err)
	}
}

var dataElement = regexp.MustCompile(`<script type="application/octet-stream" id="data">([^<]*)</script>`)

func TestTimelineHTML(t *testing.T) {
	trace := heatTrace(100)
	trace.Lost[2] = 17
	page := live.TimelineHTML(trace, live.TimelineOptions{Title: "</title><script>alert(1)</script>"})
	viztest.Keep(t, "timeline.html", page)
	found := dataElement.FindSubmatch(page)
	if found == nil {
		t.Fatal("the page has no data")
	}
	packed, err := base64.StdEncoding.DecodeString(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	columns, err := io.ReadAll(zip)
	if err != nil || len(columns) != 40*len(trace.Records) {
		t.Errorf("the columns have %d bytes (%v), wanted %d", len(columns), err, 40*len(trace.Records))
	}
	for _, bad := range []string{"alert(1)</script>", "http://", "https://", " src=", "@import", "</title><script>"} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"17 older records are lost", "default-src 'none'"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if again := live.TimelineHTML(trace, live.TimelineOptions{Title: "</title><script>alert(1)</script>"}); !bytes.Equal(page, again) {
		t.Error("the same trace gives two pages")
	}
}

func TestMaxBars(t *testing.T) {
	trace := heatTrace(100)
	for _, most := range []int{1, 10, len(trace.Records) - 1, len(trace.Records)} {
		page := string(live.TimelineHTML(trace, live.TimelineOptions{MaxBars: most}))
		if want := fmt.Sprintf(`"count":%d,`, most); !strings.Contains(page, want) {
			t.Errorf("the page with %d bars does not hold %s", most, want)
		}
		if note := fmt.Sprintf("The %d shortest bars are left out", len(trace.Records)-most); strings.Contains(page, note) != (most < len(trace.Records)) {
			t.Errorf("the page with %d bars does not tell right what it leaves out", most)
		}
	}
}

func TestTimelineBundle(t *testing.T) {
	for _, trace := range []*profiler.Trace{heatTrace(100), profiler.New(profiler.Options{}).Snapshot()} {
		bundle := live.TimelineBundle(trace, live.TimelineOptions{Title: `In [3] "<&`})
		svg := bundle["image/svg+xml"]
		text := viztest.WellFormed(t, []byte(svg))
		frame := bundle["text/html"]
		bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(frame, `""`) // all that is not weft's own text is in attributes
		if bare != `<style>.weft-still{display:none!important}[data-jp-theme-light=""] .weft-picture,.vscode-light .weft-picture{color-scheme:light}[data-jp-theme-light=""] .weft-picture,.vscode-dark .weft-picture{color-scheme:dark}</style><img class="" alt="" src=""><iframe class="" sandbox="" title="" style="" srcdoc=""></iframe>` || !strings.Contains(frame, `<iframe class="weft-picture" sandbox="allow-scripts"`) {
			t.Errorf("the HTML is %.400s", bare)
		}
		if len(trace.Records) == 0 {
			continue
		}
		viztest.Keep(t, "timeline.svg", []byte(svg))
		for _, want := range []string{"gpu3 copy", "new = 0.2 *", "halo (copy)", "fft.fft2 (fallback)"} {
			if !strings.Contains(text, want) {
				t.Errorf("the picture does not show %q", want)
			}
		}
		if !strings.Contains(bundle["text/plain"], "stencil at In [3] line 2") {
			t.Errorf("the text is\n%s", bundle["text/plain"])
		}
		if len(svg) > 200_000 {
			t.Errorf("the picture has %d bytes", len(svg))
		}
	}
}

// The picture of a long run stays small, and hostile names stay text.
func TestPictureOfManyBars(t *testing.T) {
	trace := heatTrace(20000)
	for i := range trace.Forms[1:] {
		trace.Forms[i+1].Name = fmt.Sprintf("<b>&\"'%d\x00", i)
	}
	svg := live.TimelineSVG(trace, live.TimelineOptions{Title: "\x00<&"})
	viztest.WellFormed(t, svg)
	if len(svg) > 300_000 {
		t.Errorf("the picture of %d records has %d bytes", len(trace.Records), len(svg))
	}
}

// TestBundlesAreCurrent compares the hash in each bundle's first line with that of its sources. page.mjs says what is
// hashed.
func TestBundlesAreCurrent(t *testing.T) {
	for page, made := range map[string]struct {
		folder string
		shared []string
	}{"timeline": {"timeline", nil}, "graphs": {"../graph/page", []string{"../../live/timeline/src/text.ts"}}} {
		names := append([]string{"build.mjs", "package-lock.json", "tsconfig.json", "../../page.mjs"}, made.shared...)
		err := fs.WalkDir(os.DirFS(made.folder), "src", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		hash := sha256.New()
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(made.folder, name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(hash, "%s\x00%s\x00", name, text)
		}
		bundle, err := os.ReadFile(filepath.Join(made.folder, "dist", page+".js"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(bundle), "\n")
		if want := "sources: " + hex.EncodeToString(hash.Sum(nil)); !strings.HasSuffix(first, want) {
			t.Errorf("%s/dist/%s.js is not made from its sources as they are now; run\n\tcd viz/live/%s && npm ci && npm run build\ngot  %s\nwant %s", made.folder, page, made.folder, first, want)
		}
	}
}

// Where node and the packages are at hand, the types are checked and the tests of the layout run.
func TestTypeScript(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed; TestBundlesAreCurrent has seen to the bundle")
	}
	if _, err := os.Stat("timeline/node_modules/esbuild"); err != nil {
		t.Skip("timeline/node_modules is not installed (cd viz/live/timeline && npm ci); TestBundlesAreCurrent has seen to the bundle")
	}
	for _, script := range []string{"check", "test"} {
		cmd := exec.CommandContext(t.Context(), npm, "run", "--silent", script)
		cmd.Dir = "timeline"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("npm run %s: %v\n%s", script, err, out)
		}
	}
}
