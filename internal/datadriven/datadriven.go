package datadriven

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "replace the expected output of data-driven tests by what the code printed")

// Run runs every case of the file at path through fn and compares what fn
// returns with what the file expects. A trailing newline makes no difference.
func Run(t *testing.T, path string, fn func(t *testing.T, c *Case) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.cases) == 0 {
		t.Fatalf("%s: holds no case; want at least one \"command / input / ---- / expected\"", path)
	}
	wrong := 0
	for _, c := range f.cases {
		got := normal(fn(t, c))
		if got == c.expected {
			continue
		}
		if !*rewrite {
			t.Errorf("\n%s: %s\n%s", c.Pos, c.line, diff(c.expected, got))
		}
		c.expected = got
		wrong++
	}
	switch {
	case wrong == 0:
	case !*rewrite:
		t.Errorf("%s: %d of %d cases differ. When the new output is right, run\n\tgo test -run '^%s$' . -rewrite\n"+
			"in this package's folder and read the diff; keep it only if you understand what caused every line of it.",
			path, wrong, len(f.cases), strings.Split(t.Name(), "/")[0])
	case t.Failed():
		t.Logf("%s: left as it was, because the test failed in another way", path)
	default:
		if again, err := parse(path, f.text()); err != nil || again.text() != f.text() {
			t.Fatalf("%s: an output holds the separator \"----\" in a way that would not read back; left as it was", path)
		}
		if err := os.WriteFile(path, []byte(f.text()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: rewrote %d of %d cases; read the diff", path, wrong, len(f.cases))
	}
}

// Walk runs every file of dir whose name ends in ".txt" as one subtest, named
// after the file, with a fresh function from newFn: state that fn keeps is never
// shared between files.
func Walk(t *testing.T, dir string, newFn func(t *testing.T) func(t *testing.T, c *Case) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatalf("%s: holds no .txt file", dir)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			Run(t, path, newFn(t))
		})
	}
}

// normal gives text its stored form: empty, or ended by exactly one newline.
// Blanks at line ends are dropped, because editors drop them too.
func normal(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// diff shows both texts whole, with a mark on the lines that are not the same
// in both at the same distance from the nearer end.
func diff(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	show := func(mark string, lines []string) {
		for _, line := range lines {
			if line != "" {
				out.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	show("    ", a[:head])
	show("  - ", a[head:len(a)-tail])
	show("  + ", b[head:len(b)-tail])
	show("    ", a[len(a)-tail:])
	return out.String()
}
