package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/cpu"
	"weft/scheduler"
	"weft/tile"
)

// A hand-over is measured before the first window that could be cut, once, and no result depends on it.
func TestHandOverIsMeasuredOnce(t *testing.T) {
	dev := cpu.New(cpu.Options{Workers: 2})
	s := start(t, Options{Devices: []tile.Device{dev}, Kinds: []scheduler.DeviceKind{scheduler.CPU}, Calibrate: true})
	fill := func(elements int) {
		s.do(fillProgram, s.empty(elements), elements, []tile.Scalar{tile.FloatScalar(tile.Float64, 1)})
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
	}
	fill(1 << 12)
	if s.handOver.measured || s.Stats().HandOver != usualHandOver {
		t.Errorf("little work was planned: %v; want %v, not measured", s.handOver, usualHandOver)
	}
	fill(1 << 20)
	first := s.handOver
	if !first.measured || first.took <= 0 || s.core.Look.HandOver() != first.cost() {
		t.Errorf("8 MiB were planned: %v; the core goes by %d, want %d, as measured", first, s.core.Look.HandOver(), first.cost())
	}
	fill(1 << 20)
	if s.handOver != first {
		t.Errorf("it was measured again: %v, then %v", first, s.handOver)
	}
}

// What the options say is not measured, and a dump tells it.
func TestHandOverIsTold(t *testing.T) {
	dir := t.TempDir()
	dev := cpu.New(cpu.Options{Workers: 2})
	s := start(t, Options{Devices: []tile.Device{dev}, Kinds: []scheduler.DeviceKind{scheduler.CPU}, HandOver: 40 * time.Microsecond, Dump: dir})
	s.do(fillProgram, s.empty(1<<20), 1<<20, []tile.Scalar{tile.FloatScalar(tile.Float64, 1)})
	if err := s.Sync(nil); err != nil {
		t.Fatal(err)
	}
	if got, want := s.core.Look.SmallTask(), int64(8<<20); got < want-16 || got > want {
		t.Errorf("40 us: tasks of up to %d bytes stay with the thread that waits, want %d", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "0001_handover.txt"))
	if err != nil || !strings.Contains(string(text), "a hand-over takes 40µs, as told") {
		t.Errorf("the dump says %q, %v; want 40µs, as told", text, err)
	}
	for took, want := range map[time.Duration]time.Duration{time.Nanosecond: leastHandOver, time.Second: mostHandOver} {
		if got := (handOver{took, true}).cost(); got != (handOver{took: want}).cost() {
			t.Errorf("a hand-over of %v costs %d, want as much as %v", took, got, want)
		}
	}
}
