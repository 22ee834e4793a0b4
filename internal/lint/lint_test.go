package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/datadriven"
)

// reported is how many of the longest files the test names in its log.
const reported = 10

func TestTree(t *testing.T) {
	root := filepath.Join("..", "..")
	tree, err := Open(root, os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			if problems := rule.Check(tree); len(problems) > 0 {
				t.Errorf("%d found; %s\n%s", len(problems), rule.Wants, strings.Join(problems, "\n"))
			}
		})
	}
	sizes, lines := Sizes(tree), 0
	for _, s := range sizes {
		lines += s.Lines
	}
	if len(sizes) == 0 {
		t.Fatal("no hand-written file found; the tree was listed wrongly")
	}
	t.Logf("%d hand-written files, %d lines, median %d; the longest:", len(sizes), lines, sizes[len(sizes)/2].Lines)
	for _, s := range sizes[:min(reported, len(sizes))] {
		t.Logf("%6d %s", s.Lines, s.Name)
	}
}

// TestPlanted runs each rule over the small trees of testdata: every rule must
// still find what was planted, and nothing else.
func TestPlanted(t *testing.T) {
	var tried []string
	datadriven.Walk(t, "testdata", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		tree := fstest.MapFS{}
		return func(t *testing.T, c *datadriven.Case) string {
			switch c.Cmd {
			case "file": // file name=PATH: adds one, its text being the input
				tree[c.String("name", "")] = &fstest.MapFile{Data: []byte(unescape(c))}
				return ""
			case "check": // check rule=NAME
				tree, err := walk(tree)
				if err != nil {
					t.Fatal(err)
				}
				name := c.String("rule", "")
				for _, rule := range Rules {
					if rule.Name == name {
						tried = append(tried, name)
						return escape(strings.Join(rule.Check(tree), "\n"))
					}
				}
				t.Fatalf("%s: no rule %q", c.Pos, name)
			}
			t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
			return ""
		}
	})
	for _, rule := range Rules {
		if !slices.Contains(tried, rule.Name) {
			t.Errorf("rule %q has no planted violation; add one to testdata", rule.Name)
		}
	}
}

// What the rules forbid cannot stand in testdata as it is, because testdata is
// part of the tree: there, a "~" breaks it. unescape gives a planted file its
// text without them; long=N adds N lines.
func unescape(c *datadriven.Case) string {
	return strings.ReplaceAll(c.Input, "~", "") + strings.Repeat("x\n", c.Int("long", 0))
}

// escape breaks what must not stand in testdata.
func escape(text string) string {
	for _, host := range hosts {
		text = strings.ReplaceAll(text, host, host[:4]+"~"+host[4:])
	}
	return machinePath.ReplaceAllStringFunc(text, func(m string) string { return strings.Replace(m, "/", "/~", 1) })
}

// Edges of the table must name packages that have rows, and must not form a
// cycle: a typing error would otherwise allow nothing, silently.
func TestTable(t *testing.T) {
	var visit func(pkg string, trail []string)
	visit = func(pkg string, trail []string) {
		if slices.Contains(trail, pkg) {
			t.Fatalf("the import table has a cycle: %s", strings.Join(append(trail, pkg), " -> "))
		}
		r, ok := table[pkg]
		if !ok {
			t.Fatalf("the import table names %s, which has no row", strings.Join(append(trail, pkg), " -> "))
		}
		if r.ours == "*" {
			return
		}
		for _, q := range strings.Fields(r.ours) {
			visit(q, append(slices.Clone(trail), pkg))
		}
	}
	for pkg := range table {
		visit(pkg, nil)
	}
}
