package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Kind says which of Jupyter's places a kernelspec goes to.
type Kind int

const (
	User   Kind = iota // the user's own: every environment of this user sees it
	Prefix             // below Place.Path: one environment sees it
)

// Place is where to install. Path counts for Prefix only.
type Place struct {
	Kind Kind
	Path string
}

// Dir is the folder that holds kernelspecs at this place. Getenv is os.Getenv,
// or a test's stand-in.
func (p Place) Dir(getenv func(string) string) (string, error) {
	if p.Kind == Prefix {
		if p.Path == "" {
			return "", fmt.Errorf("--prefix: got an empty path; want the folder that holds share/jupyter")
		}
		path, err := filepath.Abs(p.Path)
		return filepath.Join(path, "share", "jupyter", "kernels"), err
	}
	if dir := getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "kernels"), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", fmt.Errorf("--user: HOME is not set; set it or JUPYTER_DATA_DIR, or install with --prefix")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter", "kernels"), nil
	}
	data := getenv("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "jupyter", "kernels"), nil
}

// Write installs the spec at the place and returns its folder. It changes only
// files that differ; changed says whether there was one. Files of the folder that
// are not ours are left alone.
func Write(s Spec, p Place) (dir string, changed bool, err error) {
	if s, err = s.normal(); err != nil {
		return "", false, err
	}
	kernels, err := p.Dir(os.Getenv)
	if err != nil {
		return "", false, err
	}
	dir = filepath.Join(kernels, s.Name)
	text, err := s.JSON()
	if err != nil {
		return dir, false, err
	}
	small, err := logoPNG(32)
	if err != nil {
		return dir, false, err
	}
	large, err := logoPNG(64)
	if err != nil {
		return dir, false, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dir, false, fmt.Errorf("install kernelspec %s: %w", s.Name, err)
	}
	// kernel.json comes last: Jupyter lists a folder as soon as that file is there.
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"logo-32x32.png", small},
		{"logo-64x64.png", large},
		{"logo-svg.svg", logoSVG()},
		{"kernel.json", text},
	} {
		wrote, err := replace(filepath.Join(dir, f.name), f.text)
		if err != nil {
			return dir, changed, fmt.Errorf("install kernelspec %s: %w", s.Name, err)
		}
		changed = changed || wrote
	}
	return dir, changed, nil
}

// Remove takes a kernelspec of weft away from the place: its own files, and the folder if nothing else is in
// it. removed says whether there was one. A folder of that name that is another kernel's is an error.
func Remove(name string, p Place) (dir string, removed bool, err error) {
	s, err := Spec{Name: name, Python: "python"}.normal()
	if err != nil {
		return "", false, err
	}
	kernels, err := p.Dir(os.Getenv)
	if err != nil {
		return "", false, err
	}
	dir = filepath.Join(kernels, s.Name)
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return dir, false, nil
	}
	if err != nil {
		return dir, false, fmt.Errorf("remove kernelspec %s: %w", s.Name, err)
	}
	var found kernelJSON
	if err := json.Unmarshal(text, &found); err != nil {
		return dir, false, fmt.Errorf("remove kernelspec %s: %s: %w", s.Name, filepath.Join(dir, "kernel.json"), err)
	}
	if !slices.Contains(found.Argv, module) && !slices.Contains(found.Argv, oldModule) {
		return dir, false, fmt.Errorf("remove kernelspec %s: %s starts another kernel (%q)", s.Name, dir, found.Argv)
	}
	// kernel.json goes first: without it Jupyter sees no kernel.
	for _, name := range []string{"kernel.json", "logo-svg.svg", "logo-64x64.png", "logo-32x32.png"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return dir, true, fmt.Errorf("remove kernelspec %s: %w", s.Name, err)
		}
	}
	if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
		return dir, true, os.Remove(dir)
	}
	return dir, true, nil
}

// replace gives the file this text in one step, so that a Jupyter that reads it
// at the same time sees the old text or the new one.
func replace(name string, text []byte) (wrote bool, err error) {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return false, nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	if _, err := tmp.Write(text); err != nil {
		tmp.Close()
		return false, err
	}
	if err := tmp.Chmod(0o644); err != nil { // CreateTemp's 0600 would hide it from other users
		tmp.Close()
		return false, err
	}
	if err := tmp.Close(); err != nil {
		return false, err
	}
	return true, os.Rename(tmp.Name(), name)
}
