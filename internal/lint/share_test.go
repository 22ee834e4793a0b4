package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestShares keeps packages from losing their comments, and code from coming without any.
func TestShares(t *testing.T) {
	root := filepath.Join("..", "..")
	tree, err := Open(root, os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if problems := checkShares(tree, floors); len(problems) > 0 {
		t.Errorf("say what a newcomer has to know: why, who owns what, invariants, units; draw geometry and protocols\n%s", strings.Join(problems, "\n"))
	}
	for _, f := range floors {
		comments, lines := share(tree, f)
		t.Logf("%5.1f %% %5d lines %s %s", float64(comments)*100/float64(max(1, lines)), lines, f.folder, f.ending)
	}
}

// TestSharesPlanted wants comments to be counted as what they are, and what is below its floor or gone to be named.
func TestSharesPlanted(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tree, err := walk(fstest.MapFS{
		"a/a.go":      file("// Package a.\npackage a\n\nvar x = 1 // behind code\n\n\t// within\n"),
		"a/a_test.go": file("package a\nvar y = 1\n"),
		"a/b/b.go":    file("package b\n"),
		"a/made.go":   file("// Code gen" + "erated by a program. DO NOT EDIT.\npackage a\n"),
		"c/c.c":       file("/* one\n two\n three */\nint x; /* behind */\n"),
		"c/c.h":       file("// four\nint x;\n"),
		"d/d.ts":      file("let x = 1;\n"),
		"d/d.test.ts": file("// test\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		of              floor
		comments, lines int
	}{{floor{"a", ".go", 0}, 2, 4}, {floor{"c", ".c", 0}, 4, 6}, {floor{"d", ".ts", 0}, 0, 1}} {
		if comments, lines := share(tree, want.of); comments != want.comments || lines != want.lines {
			t.Errorf("%s: %d of %d lines are comments, want %d of %d", want.of.folder, comments, lines, want.comments, want.lines)
		}
	}
	got := checkShares(tree, []floor{{"a", ".go", 50}, {"a", ".go", 51}, {"c", ".c", 66}, {"c", ".c", 67}, {"gone", ".go", 0}})
	want := []string{
		"a: 2 of 4 lines are comments (.go): 50 %, want 51 %",
		"c: 4 of 6 lines are comments (.c): 66 %, want 67 %",
		"gone: has no .go files",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
