package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/datadriven"
	"weft/scheduler"
)

var word = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)

func fields(t *testing.T, line string) []string {
	words := word.FindAllString(line, -1)
	for i, w := range words {
		if strings.HasPrefix(w, `"`) {
			text, err := strconv.Unquote(w)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			words[i] = text
		}
	}
	return words
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sources are those that a test names, by number.
type sources []string

func (s *sources) name(id scheduler.SourceID) string { return (*s)[id-1] }

// at reads "In [3] line 7".
func (s *sources) at(t *testing.T, text string) scheduler.Where {
	t.Helper()
	if text == "" {
		return scheduler.Where{}
	}
	cut := strings.LastIndex(text, " line ")
	if cut < 0 {
		t.Fatalf("%q is no line of a source", text)
	}
	source := slices.Index(*s, text[:cut])
	if source < 0 {
		source = len(*s)
		*s = append(*s, text[:cut])
	}
	return scheduler.Where{Source: scheduler.SourceID(source + 1), Line: int32(number(t, text[cut+len(" line "):]))}
}

// parseOps reads "name kind where shape s1 s2 -> s3", and "loop 10" ... "end".
func (places *sources) parseOps(t *testing.T, lines []string) (ops []OpNode) {
	for i := 0; i < len(lines); i++ {
		words := fields(t, lines[i])
		if words[0] == "loop" {
			depth, end := 1, i
			for depth > 0 {
				end++
				depth += strings.Count(lines[end], "loop ")
				if lines[end] == "end" {
					depth--
				}
			}
			for range number(t, words[1]) {
				ops = append(ops, places.parseOps(t, lines[i+1:end])...)
			}
			i = end
			continue
		}
		op := OpNode{Name: words[0], Kind: words[1], Where: places.at(t, words[2]), Shape: words[3], Tasks: 4, Bytes: 1000, DurNs: 2000}
		to := &op.Reads
		for _, w := range words[4:] {
			if w == "->" {
				to = &op.Writes
				continue
			}
			*to = append(*to, Store{ID: scheduler.StoreID(number(t, w[1:])), Text: "float64 " + op.Shape})
		}
		ops = append(ops, op)
	}
	for i := range ops {
		ops[i].ID = scheduler.OpID(i + 1)
	}
	return ops
}

// parseTasks reads "kind name-or-cause where device op after tasks bytes n start-end". Tasks
// that are waited for are numbers, or distances if they are negative.
func (places *sources) parseTasks(t *testing.T, lines []string, loop int) (tasks []TaskNode) {
	for k := range loop {
		for _, line := range lines {
			words := fields(t, line)
			task := TaskNode{
				ID: scheduler.TaskID(len(tasks) + 1), Kind: words[0], Where: places.at(t, strings.Trim(words[2], "-")), Device: words[3],
				Op: scheduler.OpID(number(t, words[4][1:])),
			}
			if task.Op != 0 {
				task.Op += scheduler.OpID(100 * k)
			}
			if task.Kind == "copy" {
				task.Cause = words[1]
			} else {
				task.Name = words[1]
			}
			for i := 5; i < len(words); i++ {
				switch from, to, isTime := strings.Cut(words[i], "-"); {
				case words[i] == "after":
				case words[i] == "bytes":
					i++
					task.Bytes = int64(number(t, words[i]))
				case isTime && from != "":
					task.Start, task.End = int64(number(t, from)), int64(number(t, to))
				default:
					n := number(t, words[i])
					if n < 0 {
						n += int(task.ID)
					}
					if n > 0 {
						task.After = append(task.After, scheduler.TaskID(n))
					}
				}
			}
			tasks = append(tasks, task)
		}
	}
	return tasks
}

func TestGraphs(t *testing.T) {
	datadriven.Walk(t, "testdata/graphs", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		return func(t *testing.T, c *datadriven.Case) string {
			var places sources
			o := Options{SourceName: places.name, Title: c.String("title", ""), Limit: c.Int("limit", 0), Whole: c.Has("whole"), Missing: c.Int("missing", 0)}
			var lines []string
			if c.Input != "" {
				lines = strings.Split(strings.TrimSpace(c.Input), "\n")
			}
			var g *Graph
			switch c.Cmd {
			case "dataflow":
				g = Dataflow(places.parseOps(t, lines), o)
			case "events":
				g = Events(places.parseTasks(t, lines, c.Int("loop", 1)), o)
			default:
				t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
			}
			return brief(g)
		}
	})
}

// attributes that only say how it looks, which TestRender and a look at the picture are for
var looks = regexp.MustCompile(`(shape|fillcolor|color|tooltip|fontname|fontcolor|fontsize|labeljust|penwidth|style)=("(?:[^"\\]|\\.)*"|[^,\] ]+)(, )?`)

// brief is the DOT text without its preamble and its looks.
func brief(g *Graph) string {
	var out strings.Builder
	for _, line := range strings.Split(g.DOT(), "\n") {
		if at := strings.Index(line, "label="); strings.HasPrefix(line, "\tgraph [bgcolor") && at > 0 {
			line = "\t" + strings.TrimSuffix(line[at:], "];")
		} else if strings.HasPrefix(line, "\tnode [") || strings.HasPrefix(line, "\tedge [") || strings.HasPrefix(line, "\tgraph [bgcolor") {
			continue
		}
		line = looks.ReplaceAllString(line, "")
		line = strings.NewReplacer(", ]", "]", " []", "", `<BR/><FONT POINT-SIZE="11">`, " | ", "</FONT>", "").Replace(line)
		out.WriteString(line + "\n")
	}
	return out.String()
}

// Whatever the program does, the graph stays within its limit and its text is the same.
func TestGraphsStaySmall(t *testing.T) {
	var ops []OpNode
	var tasks []TaskNode
	for i := range 5000 {
		op := OpNode{
			ID: scheduler.OpID(i + 1), Name: fmt.Sprint("f", i%97), Kind: "map", Shape: "(8)",
			Where: scheduler.Where{Source: scheduler.SourceID(i%700 + 1), Line: int32(i % 13)}, DurNs: int64(i % 31), Tasks: 4,
			Reads:  []Store{{ID: scheduler.StoreID(i * 7 % 501)}, {ID: scheduler.StoreID(i * 11 % 401)}},
			Writes: []Store{{ID: scheduler.StoreID(i * 13 % 601)}},
		}
		ops = append(ops, op)
		for k := range 4 {
			id := scheduler.TaskID(4*i + k + 1)
			task := TaskNode{ID: id, Kind: "run", Op: op.ID, Name: op.Name, Where: op.Where, Device: fmt.Sprint("cpu", k)}
			if id > 9 {
				task.After = []scheduler.TaskID{id - 9, id - 5}
			}
			tasks = append(tasks, task)
		}
	}
	for _, limit := range []int{1, 2, 10, 300} {
		o := Options{Limit: limit}
		d, e := Dataflow(ops, o), Events(tasks, o)
		if len(d.Nodes) > limit || len(e.Nodes) > limit {
			t.Errorf("limit %d: %d and %d nodes", limit, len(d.Nodes), len(e.Nodes))
		}
		if d.DOT() != Dataflow(ops, o).DOT() || e.DOT() != Events(tasks, o).DOT() {
			t.Errorf("limit %d: the same graph has two texts", limit)
		}
	}
}

func TestFoldKeepsEveryElement(t *testing.T) {
	for _, text := range []string{"", "a", "aaaaaaaaaaaa", "abababababab", "xabcabcabcabcy", "aabaabaabaabaab", "abbbbbbbbbbabbbbbbbbbabbbbbbbbbbbbabbbbbbbbb"} {
		keys := strings.Split(text, "")
		if text == "" {
			keys = nil
		}
		seen := make([]int, len(keys))
		steps := fold(keys, make([]int, len(keys)), nil, 3)
		for _, leaf := range leaves(steps) {
			for _, m := range leaf.members {
				seen[m]++
				if keys[m] != keys[leaf.members[0]] {
					t.Errorf("%q: %q and %q share a node", text, keys[m], keys[leaf.members[0]])
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Errorf("%q: element %d is in %d nodes", text, i, n)
			}
		}
		if len(text) > 8 && len(leaves(steps)) > 6 {
			t.Errorf("%q: %d nodes are left", text, len(leaves(steps)))
		}
	}
}

// Three turns of one operation stay three, but not where it is fused of several.
func TestFoldCountsParts(t *testing.T) {
	ops := make([]OpNode, 3)
	for i := range ops {
		ops[i] = OpNode{Name: "add+...+copy (6)", Kind: "map", Where: scheduler.Where{Source: 2, Line: 20}, Shape: "(8,8)"}
	}
	if n := len(foldOps(ops, 3)); n != 3 {
		t.Errorf("three operations: %d steps", n)
	}
	for i := range ops {
		ops[i].Parts = 6
	}
	if steps := foldOps(ops, 3); len(steps) != 1 || steps[0].times != 3 {
		t.Errorf("three fused operations: %d steps", len(steps))
	}
}
