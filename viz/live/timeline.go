package live

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed" // the viewer
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/profiler"
	"weft/viz/detail"
	"weft/viz/graph"
	"weft/viz/label"
	"weft/viz/report"
)

// The viewer. timeline.js is built from timeline/src by npm run build; a test proves it current.
var (
	//go:embed timeline/dist/timeline.js
	timelineJS string
	//go:embed timeline/page.css
	timelineCSS string
)

// TimelineOptions say how a timeline is shown. The zero value is good.
type TimelineOptions struct {
	Title    string
	Embedded bool         // part of another page: the plain wheel scrolls that page until the timeline is clicked
	MaxBars  int          // most bars in the page, the longest ones; 0 is a million, or 100,000 if embedded
	Links    []graph.Link // shown in the head of the page

	Palette *label.Palette   // colors that other pictures have too; or nil
	Rates   report.LineRates // of lines, shown at each; or nil
}

const (
	defaultBars  = 1_000_000 // pages of about 20 MB
	embeddedBars = 100_000   // 2 MB of a notebook that is opened, saved and compared
)

// pageMeta is Meta of timeline/src/trace.ts.
type pageMeta struct {
	pageTables
	Title    string           `json:"title"`
	Summary  string           `json:"summary"`
	Notes    []string         `json:"notes"`
	Embedded bool             `json:"embedded"`
	Served   bool             `json:"served"` // the bars come from the page's server
	Count    int              `json:"count"`
	Origin   int64            `json:"origin"` // time 0 of the page, on the recorder's clock
	Kinds    []pageKind       `json:"kinds"`
	Tasks    []int64          `json:"tasks"` // ID, time of planning, number of predecessors, predecessors; one after the other
	Runs     []pageRun        `json:"runs"`
	Machine  []profiler.Field `json:"machine"`
	Links    []graph.Link     `json:"links"`
	Ran      int              `json:"ran"`  // how many tasks ran or copied something, also of those whose bars are left out
	Held     []int64          `json:"held"` // by lane, the bytes that a memory held at the page's time 0
}

type pageKind struct {
	Name string `json:"name"`
	Busy bool   `json:"busy"`
	Doc  string `json:"doc"`
}

// pageRun is one of two runs that are compared. The numbers of its tasks and ops begin behind First.
type pageRun struct {
	Title string `json:"title"`
	First uint32 `json:"first"`
}

func pageKinds() []pageKind {
	var out []pageKind
	for _, k := range profiler.Kinds() {
		out = append(out, pageKind{k.Name, k.Busy, k.Doc})
	}
	return out
}

// TimelineHTML returns the timeline of a trace as one file that needs nothing else: no
// network, no other file. Any browser of 2023 or later shows it.
func TimelineHTML(t *profiler.Trace, o TimelineOptions) []byte {
	most := defaultBars
	if o.Embedded {
		most = embeddedBars
	}
	ran := ranTasks(t)
	t, dropped := thin(t, cmp.Or(o.MaxBars, most))
	meta, columns := pageData(t, o, dropped)
	meta.Ran = ran
	var b bytes.Buffer
	writePage(&b, meta, columns)
	return b.Bytes()
}

// writePage writes a page with its tables and, if it has them, its bars.
func writePage(b *bytes.Buffer, meta *pageMeta, columns []byte) {
	text, err := json.Marshal(meta)
	if err != nil {
		panic(fmt.Sprintf("BUG: inv 2: the page's tables have no JSON form: %v", err))
	}
	policy := ""
	if meta.Served {
		policy = "connect-src 'self'; "
	}
	fmt.Fprintf(b, graph.PageHead, policy, html.EscapeString(meta.Title), timelineCSS)
	b.WriteString(timelineBody)
	// JSON of encoding/json has no "<" in its strings, so that nothing can end the element.
	fmt.Fprintf(b, "<script type=\"application/json\" id=\"meta\">%s</script>\n", text)
	if columns != nil {
		b.WriteString("<script type=\"application/octet-stream\" id=\"data\">")
		packed := base64.NewEncoder(base64.StdEncoding, b)
		zip := gzip.NewWriter(packed)
		zip.Write(columns) // into memory: cannot fail
		zip.Close()
		packed.Close()
		b.WriteString("</script>\n")
	}
	fmt.Fprintf(b, "<script>%s</script>\n</body>\n</html>\n", timelineJS)
}

// timelineBody has the page up to its data.
const timelineBody = `<header><h1 id="title"></h1><span id="summary"></span><nav id="links"></nav>
<div id="tools"><span id="found"></span><input id="search" type="search" placeholder="search: name, line, t45, >10ms" aria-label="search"><button id="next" type="button" title="next bar that was found (n)">next</button><button id="path" type="button" title="critical path (c)">path</button><button id="fit" type="button" title="show everything (f)">fit</button><button id="live" type="button" title="follow the run (l)" hidden>live</button><button id="ask" type="button" title="help (?)">?</button></div></header>
<div id="notes"></div>
<div id="frame"><canvas id="canvas" tabindex="0" aria-label="timeline"></canvas></div>
<canvas id="memory" hidden aria-label="memory in use"></canvas>
<div id="hint"></div>
<div id="legend"></div>
<div id="below"><div><span id="part"></span><div id="ops"></div><div id="lines"></div><div id="devices"></div></div><div><div id="chosen"></div><div id="sources"></div></div></div>
<footer><span id="machine"></span></footer>
<div id="help" hidden></div>
<div id="tip" hidden></div>
`

// thin leaves the longest bars of a trace that has too many, and says how many it left out.
func thin(t *profiler.Trace, most int) (*profiler.Trace, int) {
	dropped := len(t.Records) - most
	if dropped <= 0 {
		return t, 0
	}
	lengths := make([]int64, len(t.Records))
	for i := range t.Records {
		lengths[i] = t.Records[i].End - t.Records[i].Start
	}
	slices.Sort(lengths)
	shortest := lengths[dropped]
	equal := most // how many of exactly this length fit
	for _, n := range lengths[dropped:] {
		if n > shortest {
			equal--
		}
	}
	part := *t
	part.Records = make([]profiler.Record, 0, most)
	for _, rec := range t.Records {
		length := rec.End - rec.Start
		if length == shortest {
			equal--
		}
		if length > shortest || length == shortest && equal >= 0 {
			part.Records = append(part.Records, rec)
		}
	}
	return &part, dropped
}

// pageData makes the tables and columns of timeline/src/trace.ts.
func pageData(t *profiler.Trace, o TimelineOptions, dropped int) (*pageMeta, []byte) {
	n := len(t.Records)
	store := detail.Of(t)
	start, end := t.Span()
	c := newCatalog(o.Palette)
	c.rates = o.Rates
	c.palette.Give(t)
	c.update(store)
	meta := &pageMeta{
		pageTables: c.tables, Title: cmp.Or(o.Title, "timeline"), Embedded: o.Embedded, Count: n, Origin: start, Kinds: pageKinds(), Notes: notes(t, dropped),
		Machine: orEmpty(t.Machine), Links: orEmpty(o.Links), Runs: []pageRun{}, Held: orEmpty(t.Held), Tasks: pageTasks(t, start),
	}
	meta.Summary = fmt.Sprintf("%d bars over %s", n, units.Duration(end-start))
	if moved := moved(t); moved > 0 {
		meta.Summary += ", " + units.Size(moved) + " moved"
	}
	rows, order := detail.Rows(t), make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { // by start already
		return cmp.Or(cmp.Compare(t.Records[a].Lane, t.Records[b].Lane), cmp.Compare(rows[a], rows[b]))
	})
	out := newColumns(n)
	for k, i := range order {
		rec := &t.Records[i]
		out.f64(0, k, float64(rec.Start-start)) // time 0 of the page is the first bar's start
		out.f64(1, k, float64(rec.End-rec.Start))
		out.f64(2, k, float64(rec.Bytes))
		out.u32(0, k, rec.Task)
		out.u32(1, k, rec.Op)
		out.u32(2, k, store.GroupOf(rec))
		out.u16(0, k, rec.Lane)
		out.u16(1, k, rows[i])
	}
	return meta, out.data
}

// ranTasks counts the tasks that ran or copied something, and whose frees and waits tell nothing.
func ranTasks(t *profiler.Trace) int {
	seen := map[uint32]bool{}
	for i := range t.Records {
		if rec := &t.Records[i]; rec.Task != 0 && rec.Kind.Info().Busy {
			seen[rec.Task] = true
		}
	}
	return len(seen)
}

func moved(t *profiler.Trace) (sum int64) {
	for i := range t.Records {
		if t.Records[i].Kind == profiler.Copy {
			sum += t.Records[i].Bytes
		}
	}
	return sum
}

// pageTasks flattens what the tasks of a trace waited for.
func pageTasks(t *profiler.Trace, start int64) []int64 {
	out := []int64{}
	for _, task := range t.Tasks {
		out = append(out, int64(task.ID), max(task.Planned-start, 0), int64(len(task.After)))
		for _, id := range task.After {
			out = append(out, int64(id))
		}
	}
	return out
}

// notes are what a reader must know before trusting the picture.
func notes(t *profiler.Trace, dropped int) []string {
	out := []string{}
	var lost uint64
	var lanes []string
	for i, n := range t.Lost {
		if n > 0 {
			lost += n
			lanes = append(lanes, t.Lanes[i].Name)
		}
	}
	if lost > 0 {
		out = append(out, fmt.Sprintf("%d older records are lost, because the recorder keeps only the newest of each lane (%s).", lost, strings.Join(lanes, ", ")))
	}
	if t.Cut {
		out = append(out, "The profile ends early: the run crashed or still goes on.")
	}
	if dropped > 0 {
		out = append(out, fmt.Sprintf("The %d shortest bars are left out of this page.", dropped))
	}
	return out
}

func orEmpty[T any](rows []T) []T {
	if rows == nil {
		return []T{} // JSON's [] and not null
	}
	return rows
}

// columns lays out the numbers of n bars: three columns of float64, three of uint32, two of
// uint16, little-endian, the widest first so that each is aligned.
type columns struct {
	n    int
	data []byte
}

const barBytes = 3*8 + 3*4 + 2*2

func newColumns(n int) *columns { return &columns{n, make([]byte, n*barBytes)} }

func (c *columns) f64(column, k int, v float64) {
	binary.LittleEndian.PutUint64(c.data[(column*c.n+k)*8:], math.Float64bits(v))
}

func (c *columns) u32(column, k int, v uint32) {
	binary.LittleEndian.PutUint32(c.data[c.n*24+(column*c.n+k)*4:], v)
}

func (c *columns) u16(column, k int, v uint16) {
	binary.LittleEndian.PutUint16(c.data[c.n*36+(column*c.n+k)*2:], v)
}
