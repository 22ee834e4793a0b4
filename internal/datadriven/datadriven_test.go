package datadriven

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	Walk(t, "testdata", func(t *testing.T) func(*testing.T, *Case) string {
		n := 0
		return func(t *testing.T, c *Case) string {
			n++
			switch c.Cmd {
			case "echo":
				return c.Input
			case "count":
				return fmt.Sprint(n)
			case "args":
				var lines []string
				for k, v := range c.Args {
					lines = append(lines, k+"="+v)
				}
				slices.Sort(lines)
				return strings.Join(lines, "\n")
			}
			t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
			return ""
		}
	})
}

// A file must print back to its own bytes, or -rewrite would touch cases that
// did not change.
func TestTextRoundTrip(t *testing.T) {
	text, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parse("shapes.txt", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.text(); got != string(text) {
		t.Errorf("the file changed when printed:\n%s", diff(string(text), got))
	}
}

// Whatever an output looks like, writing and reading it again gives it back.
func TestRewrittenOutputsReadBack(t *testing.T) {
	for _, output := range []string{"", "a\n", "a\n\nb\n", "----\n", "----\nx\n", "# a\n", "a\n----\nb\n", "a\n----\n----\nb\n"} {
		f := &file{cases: []*Case{
			{line: "first", Input: "in\n", expected: output},
			{line: "second", before: "\n", expected: "tail\n"},
		}}
		again, err := parse("f", f.text())
		if err != nil {
			t.Errorf("%q: %v", output, err)
			continue
		}
		if len(again.cases) != 2 || again.cases[0].expected != output || again.cases[1].expected != "tail\n" {
			t.Errorf("%q came back as %q in %d cases:\n%s", output, again.cases[0].expected, len(again.cases), f.text())
		}
	}
}

func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"cmd\ninput\n", `f:1: no "----" below "cmd"`},
		{"\n----\nx\n", `f:2: "----" without a command`},
		{"cmd\n----\n----\nx\n", `f:1: the doubled "----" is never closed`},
		{"cmd a=(1, 2\n----\n", "is not closed"},
		{"cmd a=1 a=2\n----\n", "a is given twice"},
		{"cmd a=\"\\q\"\n----\n", "invalid syntax"},
	} {
		if _, err := parse("f", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	got := diff("same\nold\nend\n", "same\nnew\nmore\nend\n")
	want := "    same\n  - old\n  + new\n  + more\n    end\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestInt(t *testing.T) {
	c := &Case{Pos: "f:1", Args: map[string]string{"n": "7", "bad": "x"}}
	if c.Int("n", 1) != 7 || c.Int("absent", 1) != 1 || c.String("n", "") != "7" || c.Has("absent") {
		t.Error("an argument was not read as written")
	}
	defer func() {
		if r := recover(); r != "f:1: bad=x: want an integer" {
			t.Errorf("panic was %v", r)
		}
	}()
	c.Int("bad", 0)
}
