package fakecuda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"time"
)

// flags are as make fakecuda has them, without what only this machine may have.
var flags = []string{"-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC", "-pthread"}

// sources finds the C files from the folder of whatever test is running.
func sources() (dir string, files []string, err error) {
	at, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	for {
		dir = filepath.Join(at, "cuda", "driver", "testdata", "fake")
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(at) == at {
			return "", nil, fmt.Errorf("fakecuda: no go.mod above the current folder; the fake driver is built from the sources of the module")
		}
		at = filepath.Dir(at)
	}
	for _, pattern := range []string{"*.c", "*.h", "*.inc", "*.map"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", nil, err
		}
		files = append(files, found...)
	}
	sort.Strings(files)
	return dir, files, nil
}

// Build compiles the fake driver and returns the library's path, whose last element is libcuda.so.1. It is compiled
// once for each state of its sources, and kept in the user's cache folder; processes that build it at the same time do
// not disturb each other. FAKECUDA_LIBRARY names one that was built before, as "make test-go" does.
func Build() (string, error) {
	if lib := os.Getenv("FAKECUDA_LIBRARY"); lib != "" {
		return lib, nil
	}
	dir, files, err := sources()
	if err != nil {
		return "", err
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	sum := sha256.New()
	fmt.Fprintln(sum, cc, flags)
	args := append([]string{}, flags...)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, filepath.Base(name), len(text))
		sum.Write(text)
		if filepath.Ext(name) == ".c" {
			args = append(args, name)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	place := filepath.Join(cache, "weft", "fakecuda", hex.EncodeToString(sum.Sum(nil))[:24])
	lib := filepath.Join(place, "libcuda.so.1")
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	forget(filepath.Dir(place))
	if err := os.MkdirAll(place, 0o755); err != nil {
		return "", err
	}
	made, err := os.CreateTemp(place, "libcuda-*.tmp")
	if err != nil {
		return "", err
	}
	made.Close()
	defer os.Remove(made.Name())
	args = append(args, "-Wl,-z,defs", "-Wl,--version-script="+filepath.Join(dir, "exports.map"), "-o", made.Name(), "-lm", "-ldl")
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("fakecuda: the C compiler %q is needed to build the fake driver: %v\n%s", cc, err, out)
	}
	if err := os.Chmod(made.Name(), 0o755); err != nil {
		return "", err
	}
	return lib, os.Rename(made.Name(), lib)
}

// forget removes the libraries of sources that were built long ago. Failures do not matter: the cache is a little
// larger then.
func forget(cache string) {
	old, _ := os.ReadDir(cache)
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 14*24*time.Hour {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}
