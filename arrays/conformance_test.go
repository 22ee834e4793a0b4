package arrays_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// TestConformance runs the cases of testdata/conformance, whose answers NumPy itself wrote
// (testdata/expect.py), and checks that no store is left over.
func TestConformance(t *testing.T) {
	paths, err := filepath.Glob("testdata/conformance/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no conformance cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			var rt *direct
			conform(t, path, func() arrays.Runtime {
				rt = newDirect(t)
				return rt
			}, func(line int) {
				if n := len(rt.stores); n != 0 {
					t.Errorf("%s:%d: %d stores are left over", path, line, n)
				}
			})
		})
	}
}

// conform runs one file, every case on a runtime from start; end is told where a case ended.
func conform(t *testing.T, path string, start func() arrays.Runtime, ended func(line int)) {
	if _, err := dense(); err != nil && filepath.Base(path) == "linalg.txt" {
		t.Skipf("no BLAS library here (make build brings one): %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	var in *interp
	end := func(at int) {
		if in == nil {
			return
		}
		in.free()
		ended(at)
		in = nil
	}
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "":
			end(i)
			continue
		case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "  "):
			continue
		}
		if in == nil {
			in = newInterp(t, start())
		}
		source, remark, _ := strings.Cut(line, "  #")
		want := ""
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			want = strings.TrimSpace(lines[i+1])
		}
		got := in.answer(source)
		if strings.Contains(remark, "fallback") {
			if !strings.HasPrefix(got, "? ") {
				t.Errorf("%s:%d: %s\ngot  %s\nwant a fallback", path, i+1, source, got)
			}
			continue
		}
		ulps, whole := 0.0, false
		for _, word := range []string{"ulp ", "norm "} {
			if at := strings.Index(remark, word); at >= 0 {
				ulps, _ = strconv.ParseFloat(strings.Fields(remark[at+len(word):])[0], 64)
				whole = word == "norm "
			}
		}
		if !alike(want, got, ulps, whole) {
			t.Errorf("%s:%d: %s\ngot  %s\nwant %s", path, i+1, source, got, want)
		}
	}
	end(len(lines))
}

// answer runs a line and describes its result as expect.py does.
func (in *interp) answer(line string) string {
	v, has, err := in.run(line)
	var wrong *arrays.Error
	var fallback *arrays.Fallback
	switch {
	case errors.As(err, &fallback):
		return "? " + fallback.Why
	case errors.As(err, &wrong):
		return "! " + wrong.Type + ": " + wrong.Text
	case err != nil:
		return "FAILED: " + err.Error()
	case !has:
		return ""
	}
	text, err := describe(v)
	if err != nil {
		return "FAILED: " + err.Error()
	}
	return "= " + text
}

func describe(v arrays.Value) (string, error) {
	switch v.Kind {
	case arrays.None:
		return "None", nil
	case arrays.StringValue:
		text, err := json.Marshal(v.String)
		return "str " + string(text), err
	case arrays.DTypeValue:
		return "dtype " + v.DType.String(), nil
	case arrays.IntValue:
		return "int " + strconv.FormatInt(v.Int, 10), nil
	case arrays.BoolValue:
		return "bool " + pythonBool(v.Int != 0), nil
	case arrays.TupleValue:
		text := "tuple"
		for _, it := range v.Items {
			text += " " + strconv.FormatInt(it.Int, 10)
		}
		return text, nil
	case arrays.ArrayValue:
	default:
		return "", fmt.Errorf("cannot describe a value of kind %d", v.Kind)
	}
	a := v.Array
	shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Shape()), "[]"), " ", ",")
	if a.Ndim() == 1 {
		shape += ","
	}
	shape = "(" + shape + ")"
	if a.Scalar {
		shape = "scalar"
	}
	data, err := a.Bytes(nil)
	text := a.DType().String() + " " + shape
	for size := a.DType().Size(); len(data) > 0; data = data[size:] {
		s := tile.Scalar{Type: a.DType()}
		for i := range size {
			s.Bits[i/8] |= uint64(data[i]) << (i % 8 * 8)
		}
		text += " " + element(s)
	}
	return text, err
}

func pythonBool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

func element(s tile.Scalar) string {
	switch s.Type.Kind() {
	case tile.KindBool:
		return pythonBool(s.Bits[0] != 0)
	case tile.KindFloat:
		return strconv.FormatFloat(s.Float(), 'g', -1, 64)
	case tile.KindComplex:
		c := s.Complex()
		return strconv.FormatFloat(real(c), 'g', -1, 64) + "," + strconv.FormatFloat(imag(c), 'g', -1, 64)
	}
	return s.String()
}

var commaBlank = regexp.MustCompile(`, `)

// alike compares answers; numbers by value, within ulps of the dtype: of each number, or, with whole, of the largest,
// which is how exact solvers are whose library has other kernels for other processors.
func alike(want, got string, ulps float64, whole bool) bool {
	if want == got {
		return true
	}
	if !strings.HasPrefix(want, "= ") || strings.HasPrefix(want, "= str") || !strings.HasPrefix(got, "= ") {
		return strings.TrimSpace(want) == strings.TrimSpace(got)
	}
	w, g := strings.Fields(commaBlank.ReplaceAllString(want, ",")), strings.Fields(got)
	if len(w) != len(g) || w[1] != g[1] {
		return false
	}
	width := map[string]float64{"float16": 0x1p-10, "float32": 0x1p-23, "complex64": 0x1p-23}[w[1]]
	if width == 0 {
		width = 0x1p-52
	}
	largest := 0x1p-1022
	for _, number := range w[2:] {
		for _, part := range strings.Split(number, ",") {
			if x, err := strconv.ParseFloat(part, 64); err == nil && whole && !math.IsInf(x, 0) {
				largest = math.Max(largest, math.Abs(x))
			}
		}
	}
	for i := 2; i < len(w); i++ {
		if w[i] == g[i] {
			continue
		}
		wp, gp := strings.Split(w[i], ","), strings.Split(g[i], ",")
		if i == 2 && w[2][0] == '(' || w[2] == g[2] && w[2] == "scalar" && i == 2 || len(wp) != len(gp) {
			return false
		}
		x, y := make([]float64, len(wp)), make([]float64, len(wp))
		size := largest // of the number; of both parts of a complex one
		for k := range wp {
			var err, err2 error
			x[k], err = strconv.ParseFloat(wp[k], 64)
			y[k], err2 = strconv.ParseFloat(gp[k], 64)
			if err != nil || err2 != nil {
				return false
			}
			size = math.Max(size, math.Abs(x[k]))
		}
		for k := range x {
			same := x[k] == y[k] && math.Signbit(x[k]) == math.Signbit(y[k]) || x[k] != x[k] && y[k] != y[k]
			if !same && !(math.Abs(x[k]-y[k]) <= ulps*width*size) {
				return false
			}
		}
	}
	return true
}
