package main

import (
	"os"
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
		"    return _call(0, a, axis, keepdims, initial)\n",
		"    def sum(self, /, axis=None, keepdims=_NoValue, initial=_NoValue):\n",
		"        return _call(0, self, axis, keepdims, initial)\n",
		"def linalg_norm(x, /, *, order=_NoValue):\n    \"\"\"norm(x, /, *, order='C')\n\n    A \"norm\".\n    \"\"\"\n",
		"def atleast_1d(*arys):\n",
		"    return _call(2, arys)\n",
		"    def reshape(self, /, *shape, order=_NoValue):\n",
		"        if not shape:\n            raise TypeError(\"reshape() takes exactly 1 argument (0 given)\")\n        if len(shape) == 1:\n            (shape,) = shape\n",
		"        return _call(5, self, dtype, copy)\n",
		"    def fill(self, /, value):\n",
		"        return _call(4, self, value)\n",
		`    ("ndarray.fill", "aa", ("/self", "/value")),` + "\n",
		"    \"linalg.norm\": linalg_norm,\n",
		`    ("sum", "avvv", ("/a", "axis", "keepdims", "initial")),` + "\n",
		`    ("atleast_1d", "L", ("*arys",)),` + "\n",
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
