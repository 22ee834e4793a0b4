//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/cuda/driver"
)

// compiles opens a device that keeps what is compiled, and runs kernels on it, each of which adds another number. It
// returns how many were linked, and what was said.
func compiles(t *testing.T, c *Cubins, kernels int) (links int, said []string) {
	t.Helper()
	before := fake.Calls("cuLinkComplete")
	if c != nil {
		c.say = func(err error) { said = append(said, err.Error()) }
	}
	d, err := Open(0, Options{Epoch: time.Now(), Memory: 64 << 20, Cubins: c})
	if err != nil {
		t.Fatal(err)
	}
	runAdders(t, d, adders(t, d, kernels))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return int(fake.Calls("cuLinkComplete") - before), said
}

// kept lists the files of a folder.
func kept(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names
}

// TestCubinsAreKept compiles kernels once for two devices, and again those whose files were damaged.
func TestCubinsAreKept(t *testing.T) {
	needFake(t)
	dir := filepath.Join(t.TempDir(), "weft", "cubins")
	open := func() *Cubins { return NewCubins(dir, 1<<20, nil) }
	if n, said := compiles(t, open(), 3); n != 3 || said != nil {
		t.Errorf("first: %d were linked, said %q", n, said)
	}
	files := slices.DeleteFunc(kept(t, dir), func(name string) bool { return strings.HasSuffix(name, ".program") })
	if len(files) != 3 || len(kept(t, dir)) != 6 {
		t.Fatalf("kept %q", files)
	}
	if n, said := compiles(t, open(), 3); n != 0 || said != nil {
		t.Errorf("again: %d were linked, said %q", n, said)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)/2] ^= 1
	other, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range [][]byte{flipped, whole[:len(whole)-1], {}, []byte("cubin"), append(whole, 0)} {
		if err := os.WriteFile(files[0], text, 0o600); err != nil {
			t.Fatal(err)
		}
		if n, said := compiles(t, open(), 3); n != 1 || said != nil {
			t.Errorf("damage %d: %d were linked, said %q", i, n, said)
		}
		if now, err := os.ReadFile(files[0]); err != nil || string(now) != string(whole) {
			t.Errorf("damage %d: the file is not what it was: %v", i, err)
		}
	}
	// Images of other kernels have their own names: what a file holds is not looked at.
	if err := os.WriteFile(files[0], other, 0o600); err != nil {
		t.Fatal(err)
	}
	fake.Faults("cuModuleLoadData=209@1") // no image for this device
	if n, _ := compiles(t, open(), 1); n != 1 {
		t.Errorf("an image that the driver refuses: %d were linked", n)
	}
}

// TestCubinsThatCannotBeKept has folders that can't be written: it is said once, and all is computed.
func TestCubinsThatCannotBeKept(t *testing.T) {
	needFake(t)
	dir := t.TempDir()
	file, open := filepath.Join(dir, "file"), filepath.Join(dir, "open")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{filepath.Join(file, "cubins"): "not a directory", open: "others can write there"} {
		for range 2 {
			n, said := compiles(t, NewCubins(place, 1<<20, nil), 3)
			if n != 3 || len(said) != 1 || !strings.Contains(said[0], want) || !strings.Contains(said[0], place) {
				t.Errorf("%s: %d were linked, said %q", place, n, said)
			}
		}
	}
	if names := kept(t, open); len(names) > 0 {
		t.Errorf("%q was written", names)
	}
	// Nor is what others have put there read.
	own := t.TempDir()
	compiles(t, NewCubins(own, 1<<20, nil), 3)
	if err := os.Chmod(own, 0o777); err != nil {
		t.Fatal(err)
	}
	if n, said := compiles(t, NewCubins(own, 1<<20, nil), 3); n != 3 || len(said) != 1 {
		t.Errorf("%d were linked, and three lie in a folder that others can write; said %q", n, said)
	}
}

// TestCubinsAreBounded keeps more than there is room for. What is not the cache's stays.
func TestCubinsAreBounded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "abc.cubin", ".new-1x"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 5000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, ".new-17")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * stale)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	c := NewCubins(dir, 20_000, func(err error) { t.Error(err) })
	key := func(i int) string { return cubinKey(fmt.Sprint(i), driver.DeviceInfo{}, "") }
	for i := range 60 {
		c.put(key(i), make([]byte, 900+i))
		at := old.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(filepath.Join(dir, key(i)), at, at); err != nil {
			t.Fatal(err)
		}
		if c.get(key(3)) == nil && i >= 3 {
			t.Fatalf("what is asked for again and again was given up behind %d", i)
		}
	}
	if c.get(key(59)) == nil || c.get(key(0)) != nil {
		t.Error("not the oldest is given up")
	}
	sum, names := int64(0), kept(t, dir)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if cubinName.MatchString(filepath.Base(name)) {
			sum += info.Size()
		}
	}
	if sum > 20_000 || sum < 10_000 {
		t.Errorf("%d bytes are kept", sum)
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "notes.txt") || !strings.Contains(all, "abc.cubin") || !strings.Contains(all, ".new-1x") || strings.Contains(all, ".new-17") {
		t.Errorf("left are %q", names)
	}
}

// TestCubinsWithFaults has each call fail that images need: programs are compiled as without.
func TestCubinsWithFaults(t *testing.T) {
	for _, fault := range []string{"cuLinkCreate_v2=2", "cuLinkAddData_v2=218", "cuLinkComplete=999@1", "cuLinkDestroy=2", "cuModuleLoadData=200", "cuLinkCreate_v2=801"} {
		t.Run(fault, func(t *testing.T) {
			needFake(t)
			fake.Faults(fault)
			if _, said := compiles(t, NewCubins(t.TempDir(), 1<<20, nil), 2); said != nil {
				t.Errorf("said %q", said)
			}
			fake.Faults("")
		})
	}
}

func TestCubinKeys(t *testing.T) {
	info := driver.DeviceInfo{Name: "A", Major: 9, Minor: 0}
	keys := map[string]bool{cubinKey("text", info, "13000"): true, cubinKey("text2", info, "13000"): true, cubinKey("text", info, "12040"): true}
	info.Minor = 1
	keys[cubinKey("text", info, "13000")] = true
	info.Name = "B"
	keys[cubinKey("text", info, "13000")] = true
	keys[programKey("text", info, "13000")] = true
	if len(keys) != 6 {
		t.Errorf("%d keys for five images and a program", len(keys))
	}
	for k := range keys {
		if !cubinName.MatchString(k) {
			t.Errorf("key %q", k)
		}
	}
}
