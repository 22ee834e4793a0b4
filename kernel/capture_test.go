package kernel

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCapture redirects the descriptors of the test process itself and puts them back.
func TestCapture(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	// A look while output is on its way is told so: before it is read until it has been delivered.
	var reading atomic.Int32
	capture, err := k.CaptureOutput(func() {
		if reading.Load() == 0 {
			t.Error("output is delivered, and nothing said that a pipe is read")
		}
	}, func(pipes int) { reading.Add(int32(pipes)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = capture.Restore() })
	if _, err := k.CaptureOutput(nil, nil); err == nil {
		t.Error("output can be captured twice")
	}

	// A child's output comes before what the cell prints later, and before idle.
	id := c.execute("print first\nshell echo child; echo broken >&2\nprint last")
	c.reply("shell", id)
	lines := strings.Join(c.outputs(id), "\n")
	order := []string{`first\nchild`, `broken\n`, `last\n`, `idle`}
	at := -1
	for _, part := range order {
		i := strings.Index(lines, part)
		if i < at {
			t.Fatalf("outputs\n%s\nwanted %q in this order", lines, order)
		}
		at = i
	}

	// More than a pipe holds, while the evaluator does nothing to drain it.
	id = c.execute("shell head -c 3000000 /dev/zero | tr '\\0' z")
	c.reply("shell", id)
	if n := strings.Count(streamText(t, c.outputs(id)), "z"); n != 3_000_000 {
		t.Fatalf("%d bytes of a child's output arrived, wanted 3000000", n)
	}

	// A character written in two pieces stays whole; the stray goes to the last cell.
	id = c.execute("hold")
	<-e.started
	snake := "🐍"
	fmt.Fprint(os.Stdout, snake[:2])
	k.DrainCapture()
	fmt.Fprint(os.Stdout, snake[2:])
	e.resume <- struct{}{}
	if lines := strings.Join(c.outputs(id), "\n"); !strings.Contains(lines, snake) {
		t.Fatalf("outputs\n%s\nwanted %s", lines, snake)
	}

	if err := capture.Restore(); err != nil {
		t.Fatal(err)
	}
	if n := reading.Load(); n != 0 {
		t.Errorf("%d pipes are said to be read, wanted none", n)
	}
	if err := capture.Restore(); err != nil {
		t.Fatalf("second Restore: %v", err)
	}
}

func TestWholeRunes(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{{"", 0}, {"abc", 3}, {"aä", 3}, {"a\xc3", 1}, {"\xf0\x9f\x90", 0}, {"x\xf0\x9f", 1}, {"🐍", 4}, {"\xff", 1}, {"\x80\x80\x80\x80", 4}} {
		if got := wholeRunes([]byte(tt.in)); got != tt.want {
			t.Errorf("wholeRunes(%q) = %d, wanted %d", tt.in, got, tt.want)
		}
	}
}
