//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"testing"
	"time"

	"weft/tile"
	"weft/tile/tiletest"
)

func openSingly(t testing.TB) *Device {
	t.Helper()
	d, err := Open(0, Options{Epoch: time.Now(), Memory: 256 << 20, Singly: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSingly runs what depends on queues on a device that does one piece of work at a time.
func TestSingly(t *testing.T) {
	if fake != nil {
		needFake(t)
	}
	tiletest.Run(t, func() tile.Device { return openSingly(t) }, "stop", "out of bounds", "queues", "ordered", "concurrent", "copy")
}

// TestSinglyTellsWhich has one of many launches, among copies, end the context: all before it are told to have ended
// well, and none after it. Whatever order the queues go on in, the first error is that launch's.
func TestSinglyTellsWhich(t *testing.T) {
	needFake(t)
	const launches, bad = 12, 7
	for seed := range uint64(4) {
		fake.Seed(seed)
		b := newBench(t, 0)
		b.d.Close()
		b.d = openSingly(t)
		p, l := axpy(benchN)
		exe, err := b.d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		l.Exe = exe
		for i := range l.Args {
			buf, err := b.d.Alloc(8 * benchN)
			if err != nil {
				t.Fatal(err)
			}
			l.Args[i] = tile.Binding{Buffer: buf, Strides: []int64{8}}
			if err := b.in(buf); err != nil {
				t.Fatal(err)
			}
		}
		fake.Faults(fmt.Sprintf("launch=700@%d", bad))
		type end struct {
			launch int // 0 is a copy
			err    error
		}
		ends := make(chan end, 2*launches)
		for i := range launches {
			b.d.Launch(computes, l, func(c tile.Completion) { ends <- end{i + 1, c.Err} })
			b.d.Copy(copyOut, &tile.Transfer{Dst: b.host, Src: l.Args[i%2].Buffer, SrcDev: b.d, Bytes: 8 * benchN},
				func(c tile.Completion) { ends <- end{0, c.Err} })
		}
		first := 0
		for range 2 * launches {
			e := <-ends
			switch {
			case e.err != nil && first == 0:
				if first = e.launch; first != bad {
					t.Errorf("seed %d: the first error is that of launch %d; want %d: %v", seed, e.launch, bad, e.err)
				}
			case e.launch > bad && e.err == nil || 0 < e.launch && e.launch < bad && e.err != nil:
				t.Errorf("seed %d: launch %d: %v", seed, e.launch, e.err)
			}
		}
		b.close()
		fake.Faults("")
		fake.Ledger() // a lost context keeps what it has
		if rc := fake.Call("cuDevicePrimaryCtxReset_v2", 0); rc != 0 {
			t.Errorf("cuDevicePrimaryCtxReset: %d", rc)
		}
	}
}
