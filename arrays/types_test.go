package arrays_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// TestResultTypes compares the result dtype of every ufunc on every pair of dtypes and
// Python scalars with what NumPy said (testdata/result_types.py).
func TestResultTypes(t *testing.T) {
	text, err := os.ReadFile("testdata/result_types.txt")
	if err != nil {
		t.Fatal(err)
	}
	c := arrays.New(newDirect(t))
	operands := map[string]arrays.Value{}
	var order []string
	for _, d := range tile.DTypes() {
		a, err := c.Call("ones", 1, arrays.Keyword{Name: "dtype", Value: d})
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, string(d.Char()))
		operands[string(d.Char())] = arrays.Of(a)
	}
	for i, v := range []arrays.Value{arrays.Bool(true), arrays.Int(1), arrays.Float(1), arrays.Complex(1i)} {
		key := "weak-" + "bifc"[i:i+1]
		order = append(order, key)
		operands[key] = v
	}
	byName := map[string]arrays.Ufunc{}
	for _, u := range arrays.Ufuncs() {
		byName[u.Name()] = u
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Fields(line)
		u, ok := byName[f[0]]
		if !ok {
			t.Fatalf("no ufunc %s", f[0])
		}
		seen[f[0]] = true
		for i, want := range f[2] {
			var r *arrays.Array
			var err error
			if f[1] == "-" {
				r, err = c.Unary(u, operands[order[i]])
			} else {
				r, err = c.Binary(u, operands[f[1]], operands[order[i]])
			}
			var fallback *arrays.Fallback
			if errors.As(err, &fallback) {
				continue
			}
			got := '!'
			if err == nil {
				got = rune(r.DType().Char())
				r.Free()
			}
			if got != want {
				t.Errorf("%s(%s, %s) is %c, wanted %c (%v)", f[0], f[1], order[i], got, want, err)
			}
		}
	}
	for name := range byName {
		if !seen[name] {
			t.Errorf("testdata/result_types.txt has no line for %s; add it to UFUNCS in testdata/tables.py", name)
		}
	}
}

// TestEveryRowHasACase names the functions that the conformance cases do not call.
func TestEveryRowHasACase(t *testing.T) {
	var text string
	for _, name := range []string{"create", "elementwise", "index", "print", "transcendental", "product", "reduce", "shape", "dtypes", "aliases", "compare", "sort", "scan", "gather", "scatter", "put", "count", "fft", "interpolate", "linalg", "special", "random", "views"} {
		b, err := os.ReadFile("testdata/conformance/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	for _, f := range arrays.Functions() {
		if f.Params != "" && !strings.Contains(text, "np."+f.Name+"(") {
			t.Errorf("no case calls np.%s; add one in testdata/conformance", f.Name)
		}
		if f.Method != "" && !strings.Contains(text, ")."+f.Name+"(") && !strings.Contains(text, "a."+f.Name+"(") &&
			!strings.Contains(text, "z."+f.Name+"(") && !strings.Contains(text, "c."+f.Name+"(") && !strings.Contains(text, "p."+f.Name+"(") &&
			!strings.Contains(text, "e."+f.Name+"(") && !strings.Contains(text, "b."+f.Name+"(") {
			t.Errorf("no case calls the method %s; add one in testdata/conformance", f.Name)
		}
		if f.Doc == "" || strings.HasPrefix(f.Doc, "\n") {
			t.Errorf("%s has no summary", f.Name)
		}
	}
}

// TestSignatures compares the parameters of every row with NumPy's (testdata/signatures.py).
func TestSignatures(t *testing.T) {
	text, err := os.ReadFile("testdata/signatures.txt")
	if err != nil {
		t.Fatal(err)
	}
	numpy := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, params, _ := strings.Cut(line, ": ")
		numpy[name] = params
	}
	check := func(name, params string) {
		want, ok := numpy[name]
		if !ok {
			t.Errorf("testdata/signatures.txt has no line for %s; run testdata/signatures.py", name)
			return
		}
		theirs := strings.Fields(want)
		for _, p := range arrays.ParseParams(params) {
			unsaid := p.Name == "self" || p.Positional && strings.HasPrefix(p.Name, "out") // NumPy takes outs by position, and does not list them
			if !unsaid && !slices.Contains(theirs, p.Name) && !slices.Contains(theirs, "**kwargs") {
				t.Errorf("%s has the parameter %s, NumPy only %s", name, p.Name, want)
			}
		}
	}
	for _, f := range arrays.Functions() {
		if f.Params != "" {
			check(f.Name, f.Params)
		}
		if f.Method != "" {
			check("ndarray."+f.Name, f.Method)
		}
	}
}

// TestPrintNames prints the names of the rows for testdata/signatures.py.
func TestPrintNames(t *testing.T) {
	for _, f := range arrays.Functions() {
		if f.Params != "" {
			t.Log("name " + f.Name)
		}
		if f.Method != "" {
			t.Log("name ndarray." + f.Name)
		}
	}
}
