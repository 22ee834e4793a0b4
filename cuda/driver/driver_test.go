package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// The package has two faces, chosen by the build tag; they must offer the same names with
// the same types, or code that builds with one does not build with the other.
func TestBothBuildsOfferTheSame(t *testing.T) {
	with := surface(t, "native.go", "device.go", "module.go", "queue.go", "host.go", "pages.go", "peers.go", "rows.go", "graph.go", "link.go", "occupancy.go", "guests.go")
	without := surface(t, "absent.go")
	for _, s := range missing(with, without) {
		t.Errorf("absent.go lacks %s", s)
	}
	for _, s := range missing(without, with) {
		t.Errorf("only absent.go has %s", s)
	}
	if len(with) < 20 {
		t.Errorf("only %d exported names found: the test reads the wrong files", len(with))
	}
}

func missing(from, in map[string]bool) []string {
	var names []string
	for s := range from {
		if !in[s] {
			names = append(names, s)
		}
	}
	sort.Strings(names)
	return names
}

// surface lists the exported types and functions of files, functions with their types.
func surface(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					names[receiver(d)+d.Name.Name+"("+types(d.Type.Params)+") "+types(d.Type.Results)] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							names["type "+s.Name.Name] = true
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() {
								names["value "+n.Name] = true
							}
						}
					}
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return "func "
	}
	return "func (" + expr(d.Recv.List[0].Type) + ") "
}

func types(l *ast.FieldList) string {
	if l == nil {
		return ""
	}
	var parts []string
	for _, f := range l.List {
		for range max(1, len(f.Names)) {
			parts = append(parts, expr(f.Type))
		}
	}
	return strings.Join(parts, ", ")
}

func expr(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + expr(e.X)
	case *ast.ArrayType:
		return "[]" + expr(e.Elt)
	case *ast.SelectorExpr:
		return expr(e.X) + "." + e.Sel.Name
	}
	return "?"
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{&Error{Call: "cuMemAlloc of 64 bytes", Device: 1, Code: 2, Name: "CUDA_ERROR_OUT_OF_MEMORY", Text: "out of memory"},
			"cuda: cuMemAlloc of 64 bytes on device 1: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; nvidia-smi shows which processes hold device memory"},
		{&Error{Call: "cuFoo", Device: -1, Code: 12345}, "cuda: cuFoo: CUDA error (12345)"},
		{&Error{Call: "cuModuleLoadDataEx", Device: 0, Code: 218, Name: "CUDA_ERROR_INVALID_PTX", Log: "line 3: bad\n\x00"},
			"cuda: cuModuleLoadDataEx on device 0: CUDA_ERROR_INVALID_PTX (218); that is a mistake of weft's, please report it; --gpus 0 computes without GPUs\nline 3: bad"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestVersionText(t *testing.T) {
	for v, want := range map[int]string{12040: "12.4", 13000: "13.0", 11080: "11.8"} {
		if got := VersionText(v); got != want {
			t.Errorf("VersionText(%d) = %s, want %s", v, got, want)
		}
	}
}

// What is generated must be what the table gives.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	out, err := exec.Command("go", "run", "generate.go", "-check").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
