package install

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	prefix := t.TempDir()
	spec := Spec{Python: "/opt/env/bin/python", Flags: []string{"--gpus", "4", "--emulate"}, Name: "Weft-4GPU", Debugger: true}
	place := Place{Prefix, prefix}
	dir, changed, err := Write(spec, place)
	if err != nil || !changed {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	if want := filepath.Join(prefix, "share/jupyter/kernels/weft-4gpu"); dir != want {
		t.Errorf("wrote to %s, want %s", dir, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "argv": [
  "/opt/env/bin/python",
  "-m",
  "weft_kernel",
  "-f",
  "{connection_file}",
  "--gpus",
  "4",
  "--emulate"
 ],
 "display_name": "Python (weft-4gpu)",
 "language": "python",
 "interrupt_mode": "message",
 "env": {},
 "metadata": {
  "debugger": true,
  "supported_encryption": "curve"
 }
}
`
	if string(text) != want {
		t.Errorf("kernel.json is\n%s\nwant\n%s", text, want)
	}
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		picture, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if b := picture.Bounds(); b.Dx() != size || b.Dy() != size {
			t.Errorf("%s measures %v", name, b)
		}
		if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: mode %v, error %v; other users must be able to read it", name, info.Mode(), err)
		}
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "logo-svg.svg")); err != nil || !bytes.Contains(svg, []byte("<rect")) {
		t.Errorf("logo-svg.svg: %v %s", err, svg)
	}

	// Twice is the same as once, down to the files' times.
	before := stat(t, dir)
	if _, changed, err := Write(spec, place); err != nil || changed {
		t.Errorf("the second time: changed %v, error %v", changed, err)
	}
	if after := stat(t, dir); !slices.Equal(before, after) {
		t.Errorf("the second time touched files: %v, then %v", before, after)
	}
	// A new flag changes kernel.json, and a file of the user's stays.
	if err := os.WriteFile(filepath.Join(dir, "kernel.js"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Flags = nil
	if _, changed, err := Write(spec, place); err != nil || !changed {
		t.Errorf("with other flags: changed %v, error %v", changed, err)
	}
	text, _ = os.ReadFile(filepath.Join(dir, "kernel.json"))
	if strings.Contains(string(text), "emulate") {
		t.Error("the old flags are still there")
	}
	if mine, _ := os.ReadFile(filepath.Join(dir, "kernel.js")); string(mine) != "mine" {
		t.Error("the user's file was lost")
	}
}

// stat lists names, sizes and times of a folder's files.
func stat(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Name()+" "+info.ModTime().String())
	}
	return list
}

func TestRemove(t *testing.T) {
	place := Place{Prefix, t.TempDir()}
	for _, mine := range []bool{false, true} {
		dir, _, err := Write(Spec{Name: "weft-x", Python: "p", Env: map[string]string{"LEGATE_ARGS": "--gpus 4"}}, place)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "kernel.json")); err != nil || !strings.Contains(string(text), `"LEGATE_ARGS": "--gpus 4"`) {
			t.Errorf("kernel.json (%v) is %s", err, text)
		}
		if mine {
			if err := os.WriteFile(filepath.Join(dir, "kernel.js"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, removed, err := Remove("Weft-X", place); err != nil || !removed || got != dir {
			t.Errorf("removed %v from %s (%v), want %s", removed, got, err, dir)
		}
		left, err := os.ReadDir(dir)
		if mine && (err != nil || len(left) != 1 || left[0].Name() != "kernel.js") || !mine && !os.IsNotExist(err) {
			t.Errorf("of a folder with a file of the user's (%v) %v is left (%v)", mine, left, err)
		}
		if _, removed, err := Remove("weft-x", place); err != nil || removed {
			t.Errorf("the second time: removed %v, error %v", removed, err)
		}
	}
	other := filepath.Join(place.Path, "share/jupyter/kernels/ir")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "kernel.json"), []byte(`{"argv": ["R", "-e", "IRkernel::main()"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, removed, err := Remove("ir", place); removed || err == nil || !strings.Contains(err.Error(), "another kernel") {
		t.Errorf("another kernel: removed %v, error %v", removed, err)
	}
}

func TestWriteForUser(t *testing.T) {
	home := t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", home)
	dir, _, err := Write(Spec{Python: "/usr/bin/python3"}, Place{Kind: User})
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(home, ".local/share/jupyter/kernels/weft")
	if runtime.GOOS == "darwin" {
		want = filepath.Join(home, "Library/Jupyter/kernels/weft")
	}
	if dir != want {
		t.Errorf("wrote to %s, want %s", dir, want)
	}
	var got struct {
		DisplayName string `json:"display_name"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil || got.DisplayName != DefaultDisplayName {
		t.Errorf("display name %q, error %v", got.DisplayName, err)
	}
}

func TestUserDir(t *testing.T) {
	for _, c := range []struct {
		env         map[string]string
		want, wrong string
	}{
		{map[string]string{"JUPYTER_DATA_DIR": "/j", "HOME": "/h"}, "/j/kernels", ""},
		{map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/jupyter/kernels", ""},
		{nil, "", "HOME is not set"},
	} {
		if runtime.GOOS == "darwin" && c.env["XDG_DATA_HOME"] != "" {
			continue // Jupyter does not look at it there
		}
		got, err := Place{Kind: User}.Dir(func(k string) string { return c.env[k] })
		if c.wrong == "" && (err != nil || got != c.want) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%v: got %q and error %v, want %q %q", c.env, got, err, c.want, c.wrong)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		spec  Spec
		place Place
		want  string
	}{
		{Spec{Name: "my kernel", Python: "p"}, Place{Prefix, t.TempDir()}, `--name: got "my kernel"`},
		{Spec{Name: "..", Python: "p"}, Place{Prefix, t.TempDir()}, `--name: got ".."`},
		{Spec{}, Place{Prefix, t.TempDir()}, "no Python interpreter"},
		{Spec{Python: "p"}, Place{Kind: Prefix}, "--prefix: got an empty path"},
		{Spec{Python: "p"}, Place{Prefix, "/dev/null"}, "install kernelspec weft"},
	} {
		if _, _, err := Write(c.spec, c.place); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want %q", c.spec, err, c.want)
		}
	}
}

// A script stands in for Python, so that the test needs none.
func TestSysPrefix(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	write := func(body string) {
		if err := os.WriteFile(python, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("echo '/opt/my env'")
	if got, err := SysPrefix(python); err != nil || got != "/opt/my env" {
		t.Errorf("got %q and error %v", got, err)
	}
	for _, body := range []string{"exit 3", "true"} {
		write(body)
		if _, err := SysPrefix(python); err == nil || !strings.Contains(err.Error(), python) {
			t.Errorf("%s: error %v does not name the interpreter", body, err)
		}
	}
}

// The pictures and the SVG come from one list; it must stay on the grid.
func TestLogoIsOnTheGrid(t *testing.T) {
	for _, b := range bands() {
		if b.x < 0 || b.y < 0 || b.x+b.w > 64 || b.y+b.h > 64 || b.x%2+b.y%2+b.w%2+b.h%2 != 0 {
			t.Errorf("%+v leaves the grid, or has an odd edge that 32 pixels cannot show", b)
		}
	}
}
