package libraries

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Library is what was found of one of NVIDIA's libraries.
type Library struct {
	Name    string // cuBLAS
	Path    string // of the file; "" where there is none
	Version [3]int
	Problem string // why it cannot be used, with what to do about it; "" where it can
}

// String is one line, as "weft info" shows it.
func (l Library) String() string {
	switch {
	case l.Problem == "":
		return fmt.Sprintf("%s %d.%d.%d (%s)", l.Name, l.Version[0], l.Version[1], l.Version[2], l.Path)
	case l.Path == "":
		return fmt.Sprintf("%s: %s", l.Name, l.Problem)
	}
	return fmt.Sprintf("%s (%s): %s", l.Name, l.Path, l.Problem)
}

// row is one library.
type row struct {
	name     string
	files    []file // that it may be in, the newest first
	property string // its function that tells the parts of its version
	wheel    string // that brings it
}

// file is a library's name, with the first part of its version, and the oldest version of CUDA that has it: of its
// parts the first, as a driver runs what was built for any release of its own or an older one.
type file struct {
	name  string
	major int
	cuda  int
}

// table has the libraries.
var table = []row{
	blas:    {"cuBLAS", []file{{"libcublas.so.13", 13, 13}, {"libcublas.so.12", 12, 12}, {"libcublas.so.11", 11, 11}}, "cublasGetProperty", "nvidia-cublas-cu12"},
	solver:  {"cuSOLVER", []file{{"libcusolver.so.12", 12, 13}, {"libcusolver.so.11", 11, 11}}, "cusolverGetProperty", "nvidia-cusolver-cu12"},
	fourier: {"cuFFT", []file{{"libcufft.so.12", 12, 13}, {"libcufft.so.11", 11, 12}, {"libcufft.so.10", 10, 11}}, "cufftGetProperty", "nvidia-cufft-cu12"},
}

// Where the libraries stand in the table.
const (
	blas = iota
	solver
	fourier
)

// None, as the name of a library, asks for none.
const None = "none"

// ErrNone says that no library is to be used.
var ErrNone = errors.New("no library is to be used")

// NamedError is of a library that was asked for by its path.
type NamedError struct{ Err error }

func (e *NamedError) Error() string { return e.Err.Error() }
func (e *NamedError) Unwrap() error { return e.Err }

// Find looks for each library that a driver for a version of CUDA can run, 12 say: where the system's loader does, and
// then in folders.
func Find(folders []string, cuda int) []Library {
	found := make([]Library, len(table))
	for i, r := range table {
		found[i] = r.find(folders, cuda)
	}
	return found
}

// find returns the first file that can be used; where there is none, the first that is there and cannot.
func (r row) find(folders []string, cuda int) Library {
	broken := Library{
		Name:    r.name,
		Problem: fmt.Sprintf("no %s and nothing older; a CUDA toolkit has it, or pip install %s", r.files[0].name, r.wheel),
	}
	for _, folder := range append([]string{""}, folders...) {
		for _, file := range r.files {
			path := filepath.Join(folder, file.name)
			if folder != "" {
				if _, err := os.Stat(path); err != nil {
					continue
				}
			}
			where, version, err := ask(path, r.property)
			if err == nil && file.cuda > cuda {
				err = fmt.Errorf("it is for CUDA %d, and the driver for %d: update that, or pip install %s", file.cuda, cuda, r.wheel)
			}
			switch {
			case err == nil:
				return Library{Name: r.name, Path: where, Version: version}
			case broken.Path == "" && where != "":
				broken.Path, broken.Problem = where, err.Error()
			}
		}
	}
	return broken
}

// choose returns the library of a path, or where that is "" the one that find finds. The error says why there is none;
// ErrNone where the path is None.
func (r row) choose(path string, folders []string, cuda int) (Library, error) {
	switch path {
	case None:
		return Library{}, ErrNone
	case "":
		found := r.find(folders, cuda)
		if found.Problem != "" {
			return found, errors.New(found.String())
		}
		return found, nil
	}
	where, version, err := ask(path, r.property)
	if err != nil {
		return Library{}, &NamedError{fmt.Errorf("%s: %w", path, err)}
	}
	if needs := r.needs(version[0]); needs > cuda {
		return Library{}, &NamedError{fmt.Errorf("%s is for CUDA %d, and the driver for %d", path, needs, cuda)}
	}
	return Library{Name: r.name, Path: where, Version: version}, nil
}

// needs is the version of CUDA that has a library's version, of both the first part; of one newer than those of the
// table, one that is newer by as much.
func (r row) needs(major int) int {
	for _, f := range r.files {
		if f.major <= major {
			return f.cuda + max(0, major-r.files[0].major)
		}
	}
	return r.files[len(r.files)-1].cuda
}

// open loads a library and finds its functions. An error of one that was named is a NamedError.
func open(l Library, named bool, entries []string) ([]function, error) {
	found, err := load(l.Path, entries)
	if err == nil {
		return found, nil
	}
	err = fmt.Errorf("%s: %w", l, err)
	if named {
		err = &NamedError{err}
	}
	return nil, err
}

// returned makes an error of what a call has returned, of which a library names some.
func returned(call string, rc int, names map[int]string) error {
	switch name, known := names[rc]; {
	case rc == 0:
		return nil
	case known:
		return fmt.Errorf("%s: %s", call, name)
	}
	return fmt.Errorf("%s: status %d", call, rc)
}

// Folders are those in which toolkits and NVIDIA's wheels put libraries. packages are the folders of the package
// "nvidia" of a Python environment, which the wheels share.
func Folders(packages []string) []string {
	var folders []string
	for _, p := range packages {
		found, err := filepath.Glob(filepath.Join(p, "*", "lib"))
		if err != nil { // the pattern is malformed, which it is not, but for the folder's name
			continue
		}
		slices.Sort(found)
		folders = append(folders, found...)
	}
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"} {
		if home := os.Getenv(variable); home != "" {
			folders = append(folders, filepath.Join(home, "lib64"), filepath.Join(home, "lib"))
		}
	}
	return append(folders, "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/opt/cuda/lib64")
}
