package driver

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestForbidden looks at files of which some may be opened: a test that runs as root is refused none.
func TestForbidden(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"nvidia0", "nvidia1", "nvidiactl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	patterns := []string{filepath.Join(dir, "nvidiactl"), filepath.Join(dir, "nvidia-uvm"), filepath.Join(dir, "nvidia[0-9]*")}
	if got := forbidden(patterns, openBoth); got != "" {
		t.Errorf("got %q of files that can be opened", got)
	}
	got := forbidden(patterns, func(name string) error {
		if filepath.Base(name) == "nvidia0" {
			return nil
		}
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	})
	want := "; this user may not open " + filepath.Join(dir, "nvidiactl") + ", " + filepath.Join(dir, "nvidia1") + ": ls -l shows which group may"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
