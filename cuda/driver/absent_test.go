//go:build !(cuda && cgo && linux)

package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWithoutSupport(t *testing.T) {
	if Built {
		t.Error("Built is true")
	}
	if got := Probe().String(); got != "no CUDA driver: built without CUDA support" {
		t.Errorf("report %q", got)
	}
	if d, err := Open(0); d != nil || !errors.Is(err, ErrNotBuilt) || !strings.Contains(err.Error(), "-tags cuda") {
		t.Errorf("Open: %v, %v", d, err)
	}
}

// A plain "go test ./..." covers the build with the tag as well, against the fake driver.
func TestWithTag(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("CUDA support is for Linux")
	}
	if testing.Short() {
		t.Skip("-short: compiles the module")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-tags", "cuda", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1",
		"CGO_CFLAGS=-O2 -g -I"+filepath.Join(here, "include"),
		"CGO_LDFLAGS=-O2 -g -Wl,--as-needed -L"+filepath.Join(here, "lib"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}
