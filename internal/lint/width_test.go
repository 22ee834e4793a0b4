package lint

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var wrap = flag.String("wrap", "", "wrap the comments and the prose of this file, or of all files below this folder, from the top of the tree")

// TestWrap wraps what the flag names. Without it, what is wrapped must be as wrapping leaves it.
func TestWrap(t *testing.T) {
	root := filepath.Join("..", "..")
	tree, err := Open(root, os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range wrapped(tree) {
		text := string(tree.read(name))
		made := Wrap(name, text)
		switch {
		case made == text:
		case *wrap == "":
			t.Errorf("%s is not wrapped: run go test ./internal/lint -run 'TestWrap$' -wrap %s", name, name)
		case *wrap != "" && strings.HasPrefix(name, *wrap):
			if err := os.WriteFile(filepath.Join(root, name), []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Log(name)
		}
	}
}

// TestWrapped wants wrapping to keep all words, what is not prose, and what is wrapped.
func TestWrapped(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	for name, text := range map[string]string{
		"a.go": "// Box has a lid. " + long + "\n// and more of it\n//\n//\tcode " + long + "\n//   - item " + long + "\n//     of the item\n//   - next\n//go:build " + long +
			"\n// a  drawing  " + long + "\nvar x = 1 // " + long + "\n\t// inner " + long + " - 1. # end\n// int f; " + long + "\nimport \"C\"\n",
		"a.md": "# Title " + long + "\n\nText " + long + " `some code of " + strings.Repeat("several ", 5) + "words` " + long + "\nand more\n- item " + long + "\n  of it\n- next\n| a | " + long + " |\n```\n" + long + " code\n```\n    code " + long + "\n",
	} {
		got := Wrap(name, text)
		if Wrap(name, got) != got {
			t.Errorf("%s: wrapped twice it is not what it is wrapped once:\n%s", name, got)
		}
		strip := func(s string) string {
			return strings.Join(strings.Fields(strings.ReplaceAll(s, "//", " ")), " ")
		}
		if strip(got) != strip(text) {
			t.Errorf("%s: other words:\n%s", name, got)
		}
		lines := strings.Split(got, "\n")
		for i, m := range prosaic(name, lines) {
			if m != nil && columns(lines[i]) > widest {
				t.Errorf("%s:%d: %d columns", name, i+1, columns(lines[i]))
			}
		}
		t.Log("\n" + got)
	}
}
