package cpu

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestCopySpeed measures without touching Go's heap: a cell that is profiled afterwards has the collector's turns that
// it would have had.
func TestCopySpeed(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	speed, err := CopySpeed(2)
	runtime.ReadMemStats(&after)
	if err != nil || speed <= 0 {
		t.Fatalf("got %g bytes per second and error %v", speed, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("measuring allocated %d bytes of Go's heap, wanted next to none", took)
	}
}

func TestCacheBytes(t *testing.T) {
	folder := t.TempDir()
	for name, size := range map[string]string{"index0": "32K\n", "index2": "1M", "index3": "512K\n", "index4": "what"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "size"), []byte(size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := cacheBytes(folder); got != 1<<20 {
		t.Errorf("got %d bytes, wanted 1 MiB", got)
	}
	if got := cacheBytes(filepath.Join(folder, "none")); got != 0 {
		t.Errorf("got %d bytes of a folder that is not there, wanted 0", got)
	}
}
