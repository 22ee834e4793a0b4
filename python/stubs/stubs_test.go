package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"weft/arrays"
)

func TestCommittedFileIsCurrent(t *testing.T) {
	want, err := generate(arrays.Functions())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../weft/_functions.py")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("python/weft/_functions.py is not what the table in arrays/ says; run go generate ./python/stubs")
	}
}

func TestGenerate(t *testing.T) {
	text, err := generate([]arrays.Func{
		{Name: "sum", Params: "a, axis=None, keepdims=_NoValue, initial=_NoValue", Method: "axis=None, keepdims=False, initial=0", Doc: "Adds."},
		{Name: "linalg.norm", Params: "x, /, *, order='C'", Doc: `A "norm".`},
		{Name: "atleast_1d", Params: "*arys", Doc: "One."},
		{Name: "reshape", Params: "a, /, shape, order='C'", Method: "*shape, order='C'", Doc: "Shapes."},
		{Name: "fill", Method: "value", Doc: "Fills."},
		{Name: "astype", Params: "x, dtype, /, *, copy=True", Method: "dtype, subok=True, copy=True", Doc: "Casts."},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"def sum(a, axis=None, keepdims=_NoValue, initial=_NoValue):\n",
		"    return _call(_SUM, a, axis, keepdims, initial)\n",
		"    def sum(self, /, axis=None, keepdims=_NoValue, initial=_NoValue):\n",
		"        return _call(_SUM, self, axis, keepdims, initial)\n",
		"def linalg_norm(x, /, *, order=_NoValue):\n    \"\"\"norm(x, /, *, order='C')\n\n    A \"norm\".\n    \"\"\"\n",
		"def atleast_1d(*arys):\n",
		"    return _call(_ATLEAST_1D, arys)\n",
		"    def reshape(self, /, *shape, order=_NoValue):\n",
		"        if not shape:\n            raise TypeError(\"reshape() takes exactly 1 argument (0 given)\")\n        if len(shape) == 1:\n            (shape,) = shape\n",
		"        return _call(_ASTYPE, self, dtype, copy)\n",
		"    def fill(self, /, value):\n",
		"        return _call(_NDARRAY_FILL, self, value)\n",
		`_NDARRAY_FILL = _row("ndarray.fill", "aa", ("/self", "/value"))` + "\n",
		`_SUM = _row("sum", "avvv", ("/a", "axis", "keepdims", "initial"))` + "\n",
		`_ATLEAST_1D = _row("atleast_1d", "L", ("*arys",))` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestMistakesInTheTable(t *testing.T) {
	for params, want := range map[string]string{
		"a, frobnication=None": `parameter "frobnication" of f has no role; add it to roles in python/stubs/roles.go`,
	} {
		if _, err := generate([]arrays.Func{{Name: "f", Params: params}}); err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", params, err, want)
		}
	}
	if _, err := generate([]arrays.Func{{Name: "f", Params: "a, shape", Method: "()"}}); err == nil {
		t.Error("a method that lacks a required argument is no error")
	}
}

// A name with two roles would get either, by chance.
func TestEachNameHasOneRole(t *testing.T) {
	seen := map[string]rune{}
	for role, names := range roles {
		for _, name := range strings.Fields(names) {
			if other, ok := seen[name]; ok {
				t.Errorf("%s has the roles %c and %c", name, role, other)
			}
			seen[name] = role
		}
	}
}

// TestARowChangesNothingElse adds a row at the beginning, the middle and the end of the table: what else is in the text
// stays.
func TestARowChangesNothingElse(t *testing.T) {
	table := arrays.Functions()
	text, err := generate(table)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(text, "\n")
	for _, at := range []int{0, len(table) / 2, len(table)} {
		row := arrays.Func{Name: "new", Params: "a, axis=None", Doc: "New."}
		text, err := generate(slices.Insert(slices.Clone(table), at, row))
		if err != nil {
			t.Fatal(err)
		}
		after, first := strings.Split(text, "\n"), 0
		for first < len(before) && before[first] == after[first] {
			first++
		}
		more := len(after) - len(before)
		if !slices.Equal(before[first:], after[first+more:]) {
			t.Errorf("a row at %d changes more than the lines from %d on", at, first+1)
		}
		if got := strings.Join(after[first:first+more], "\n"); !strings.Contains(got, "_call(_NEW, a, axis)") || more > 12 {
			t.Errorf("a row at %d adds\n%s", at, got)
		}
	}
}

func TestRowsOfOneConstantAreRefused(t *testing.T) {
	_, err := generate([]arrays.Func{{Name: "linalg.norm", Params: "x"}, {Name: "linalg_norm", Params: "x"}})
	if err == nil || !strings.Contains(err.Error(), "linalg.norm and linalg_norm") {
		t.Errorf("got %v, want an error that names both rows", err)
	}
}
