package profiler

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// streamed is a profile as a run leaves it, with now and then something in it that cannot have happened.
func streamed(t *testing.T, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 20))
	fault := func() bool { return seed%2 == 1 && r.IntN(300) == 0 }
	rec := New(Options{PerLane: 1 << 14, Machine: []Field{{"cpus", "3"}}})
	var lanes []*Lane
	for i := range 3 {
		lanes = append(lanes, rec.Lane(LaneInfo{Name: fmt.Sprint("cpu", i), Kind: "cpu"}))
	}
	memory := rec.Lane(LaneInfo{Name: "memory", Kind: "memory"})
	rec.Source(Source{ID: 1, Name: "In [1]", Text: "a, \"b\"\n"})
	var file bytes.Buffer
	w, err := NewWriter(&file, rec)
	if err != nil {
		t.Fatal(err)
	}
	now, ends := make([]int64, len(lanes)), map[uint32]int64{}
	var tasks []uint32
	var live int64
	for n := range uint32(1500) {
		id := (n + 1) * 997
		if fault() {
			id -= 997
		}
		op := n/4 + 1
		if n%4 == 0 && !fault() {
			rec.Op(op, rec.Form(Form{Name: fmt.Sprint("op", op%7), Kind: "map", Where: Where{1, int32(op%3 + 1)}, Shape: "(10,\"x\")"}))
		}
		lane := r.IntN(len(lanes))
		start := now[lane] + r.Int64N(100)
		var after []uint32
		for range r.IntN(3) {
			if len(tasks) > 0 {
				before := tasks[r.IntN(len(tasks))]
				after, start = append(after, before), max(start, ends[before])
			}
		}
		if _, again := ends[id]; !again {
			rec.Task(id, max(start-r.Int64N(50), 0), after)
		}
		if fault() {
			start = max(start-200, 0)
		}
		end := start + 1 + r.Int64N(300)
		var label uint32
		if n%9 == 0 {
			label = rec.Label(Label{Name: "halo", Detail: "gpu0 to gpu1"})
		}
		lanes[lane].Record(Record{Kind: Kind(n % 2), Task: id, Op: op, Label: label, Start: start, End: end, Bytes: r.Int64N(1000)})
		now[lane], ends[id], tasks = end, end, append(tasks, id)
		if r.IntN(4) == 0 {
			memory.Record(Record{Kind: Alloc, Start: int64(n), End: int64(n), Bytes: 10})
			live += 10
		} else if live > 0 || fault() {
			memory.Record(Record{Kind: Free, Start: int64(n), End: int64(n), Bytes: 10})
			live -= 10
		}
		if r.IntN(200) == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := rec.Attach("dataflow.dot", "digraph {}\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.weftprof")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func sortedLines(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

// What is written of a file piece by piece is what is written of its trace, but for the order.
func TestPiecesAgainstWhole(t *testing.T) {
	for seed := range uint64(6) {
		path := streamed(t, seed)
		trace, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var whole, pieces, text bytes.Buffer
		if err := WriteCSV(&whole, trace); err != nil {
			t.Fatal(err)
		}
		if err := WriteCSVOf(&pieces, path); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sortedLines(whole.String()), sortedLines(pieces.String())) {
			t.Errorf("seed %d: the CSV differs", seed)
		}
		if err := WriteTextOf(&text, path); err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(&text); err != nil || again.String() != trace.String() {
			t.Errorf("seed %d: the text differs (%v)", seed, err)
		}
		// All but what is not checked there.
		tables, err := ReadTables(path)
		if err != nil || len(tables.Records)+len(tables.Ops)+len(tables.Tasks) != 0 || fmt.Sprint(tables.Texts, tables.Lanes, tables.Forms) != fmt.Sprint(trace.Texts, trace.Lanes, trace.Forms) {
			t.Errorf("seed %d: the tables are %v (%v)", seed, tables, err)
		}
		if texts, err := ReadTexts(path); err != nil || !slices.Equal(texts, trace.Texts) {
			t.Errorf("seed %d: the documents are %v (%v)", seed, texts, err)
		}
		compareValidation(t, path, trace)
	}
}

func compareValidation(t *testing.T, path string, trace *Trace) {
	t.Helper()
	texts := func(found []Violation) map[string][]string {
		rules := map[string][]string{}
		for _, v := range found {
			rules[v.Rule] = append(rules[v.Rule], v.Text)
		}
		for _, list := range rules {
			slices.Sort(list)
		}
		return rules
	}
	want := texts(Validate(trace))
	for _, window := range []uint32{1 << 21, 1 << 19} {
		found, n, err := validatePieces(path, window, window/2)
		if err != nil || n.Records != uint64(len(trace.Records)) || n.Far > 0 && window == 1<<21 {
			t.Fatalf("%+v, %v; wanted %d records", n, err, len(trace.Records))
		}
		got := texts(found)
		for _, rule := range rules {
			a, b := got[rule.name], want[rule.name]
			switch {
			case rule.name == "overlap" || rule.name == "memory": // each lane is read in another order
				if (len(a) == 0) != (len(b) == 0) {
					t.Errorf("window %d: %s finds %q, wanted %q", window, rule.name, a, b)
				}
			case len(b) > maxViolations: // it depends on the order which are told
				if len(a) == 0 {
					t.Errorf("window %d: %s finds nothing, wanted %q", window, rule.name, b)
				}
			case n.Far == 0 && !slices.Equal(a, b), n.Far > 0 && len(a) > len(b):
				t.Errorf("window %d: %s finds\n%q, wanted\n%q", window, rule.name, a, b)
			}
		}
	}
}

func TestPiecesOfCutFile(t *testing.T) {
	path := streamed(t, 0)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteTextOf(&text, path); err != nil || !strings.HasSuffix(text.String(), "\ncut\n") {
		t.Errorf("the text ends with %q (%v)", text.String()[max(text.Len()-50, 0):], err)
	}
	if _, n, err := ValidateOf(path); err != nil || n.Records == 0 {
		t.Errorf("%+v, %v", n, err)
	}
	if err := WriteCSVOf(&text, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is written")
	}
}

// A file may unpack to a thousand times its length. What reads it says where it would take too much memory, before it
// has.
func TestFilesThatUnpackToTooMuch(t *testing.T) {
	const memory = 4 << 20
	chunks := map[string]func(e *encoder){
		"records": func(e *encoder) {
			records := make([]Record, 20_000)
			for i := range records {
				records[i] = Record{Kind: Run, Start: int64(i), End: int64(i)}
			}
			e.records(records)
		},
		"texts":   func(e *encoder) { e.texts([]Text{{"t", strings.Repeat("x", 1<<20)}}) },
		"sources": func(e *encoder) { e.sources([]Source{{1, "cell", strings.Repeat("x", 1<<20)}}) },
		"labels":  func(e *encoder) { e.labels(slices.Repeat([]Label{{Name: strings.Repeat("x", 1<<10)}}, 1000)) },
		"forms":   func(e *encoder) { e.forms(slices.Repeat([]Form{{Program: strings.Repeat("x", 1<<10)}}, 1000)) },
		"tasks":   func(e *encoder) { e.tasks(make([]Task, 20_000)) },
	}
	for name, chunk := range chunks {
		var file bytes.Buffer
		e := encoder{w: &file}
		e.header()
		e.lanes([]LaneInfo{{Name: "cpu"}})
		for range 12 {
			chunk(&e)
		}
		e.chunk(tagDone)
		if e.err != nil {
			t.Fatal(e.err)
		}
		path := filepath.Join(t.TempDir(), "bomb.weftprof")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFileWithin(path, memory)
		if err == nil || !strings.Contains(err.Error(), "takes more than 4 MB") || !strings.Contains(err.Error(), "at byte ") {
			t.Errorf("%s, %d bytes: %v", name, file.Len(), err)
		}
		if _, err := ReadFile(path); err != nil {
			t.Errorf("%s, with memory: %v", name, err)
		}
	}
}

func TestProfilesAreForTheirOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.weftprof")
	if err := WriteFile(path, empty()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; wanted 0600", info.Mode(), err)
	}
}
