//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"testing"
	"time"

	"weft/cuda/driver"
	"weft/tile"
)

// TestPeers copies between GPUs that reach each other, that do not, and of which one is refused: the bytes are the
// same, and pass through the host only where they must. What a peer is let in to are pages that were mapped before the
// first copy, and after it.
func TestPeers(t *testing.T) {
	if fake != nil {
		needFake(t)
	} else if len(driver.Probe().Devices) < 2 {
		t.Skip("the machine has one GPU")
	}
	for _, c := range []struct {
		name, peers, faults string
		direct              bool
	}{
		{"reached", "1", "", true},
		{"not reached", "0", "", false},
		{"refused", "1", "cuCtxEnablePeerAccess=217@1+", false},
		{"crowded", "1", "cuCtxEnablePeerAccess=711@1+", false},
		{"known already", "1", "cuCtxEnablePeerAccess=704@1+", true},
		{"in error", "1", "cuDeviceCanAccessPeer=999@1+", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if fake == nil && c.name != "reached" {
				t.Skip("needs the fake driver")
			}
			t.Setenv("FAKECUDA_PEERS", c.peers)
			a, b := open(t, 0), open(t, 1)
			way := func(string) uint64 { return 0 }
			if fake != nil {
				fake.Faults(c.faults)
				defer fake.Faults("")
				way = fake.Moved
			}
			ref := tile.NewReference(0, time.Now(), nil)
			defer ref.Close()
			direct, hosted := way("direct"), way("hosted")
			total := 0
			for round, rows := range []int64{1, 5, 1} {
				const step, n = 3000, 2900
				var dev [2]tile.Buffer
				var host [2]tile.Buffer
				for i, d := range []*Device{a, b} {
					var err error
					if dev[i], err = d.Alloc(rows * step << (4 * round)); err != nil { // new pages each time
						t.Fatal(err)
					}
					if host[i], err = ref.Alloc(rows * step); err != nil {
						t.Fatal(err)
					}
				}
				for i := range host[0].Bytes() {
					host[0].Bytes()[i] = byte(i * (round + 3))
				}
				copies := []*tile.Transfer{
					{Dst: dev[0], DstDev: a, Src: host[0]},
					{Dst: dev[1], DstDev: b, Src: dev[0], SrcDev: a},
					{Dst: host[1], Src: dev[1], SrcDev: b},
				}
				for i, move := range copies {
					d := a
					if i > 0 {
						d = b
					}
					move.Bytes, move.Rows, move.DstStep, move.SrcStep = n, rows, step, step
					if err := wait(func(done func(tile.Completion)) { d.Copy(min(copyIn+i/2, copyOut), move, done) }); err != nil {
						t.Fatalf("round %d, copy %d: %v", round, i, err)
					}
				}
				total += int(n * rows)
				for r := range rows {
					if got, want := host[1].Bytes()[r*step:][:n], host[0].Bytes()[r*step:][:n]; !bytes.Equal(got, want) {
						t.Errorf("round %d, row %d differs", round, r)
					}
				}
				a.Free(dev[0])
				b.Free(dev[1])
			}
			direct, hosted = way("direct")-direct, way("hosted")-hosted
			want := [2]uint64{0, uint64(total)}
			if c.direct {
				want = [2]uint64{uint64(total), 0}
			}
			if got := [2]uint64{direct, hosted}; got != want && fake != nil {
				t.Errorf("%d bytes went directly and %d through the host; want %v", direct, hosted, want)
			}
			if known := b.peers.reached[a]; known != c.direct && fake != nil || !b.peers.knows(a) || a.peers.knows(b) {
				t.Errorf("the devices know of each other: %v, %v", b.peers.reached, a.peers.reached)
			}
			for _, d := range []*Device{a, b} {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestPeersOfALostGPU copies from a GPU that fails when the other one is to be let in: it is lost, and the other is
// not. Where the other one fails, it is lost.
func TestPeersOfALostGPU(t *testing.T) {
	for fault, lost := range map[string]int{"cuMemSetAccess=700@1": 0, "cuDeviceCanAccessPeer=700@1": 1} {
		t.Run(fault, func(t *testing.T) {
			needFake(t)
			t.Setenv("FAKECUDA_PEERS", "1")
			devices := []*Device{open(t, 0), open(t, 1)}
			var bufs []tile.Buffer
			for _, d := range devices {
				buf, err := d.Alloc(3000)
				if err != nil {
					t.Fatal(err)
				}
				bufs = append(bufs, buf)
			}
			fake.Faults(fault)
			_ = wait(func(done func(tile.Completion)) { // which has an error where its own device is lost
				devices[1].Copy(copyIn, &tile.Transfer{Dst: bufs[1], DstDev: devices[1], Src: bufs[0], SrcDev: devices[0], Bytes: 3000}, done)
			})
			fake.Faults("")
			for i, d := range devices {
				if (d.Lost() != nil) != (i == lost) {
					t.Errorf("gpu%d: %v", i, d.Lost())
				}
				if more, err := d.Alloc(8 << 20); i != lost && err != nil {
					t.Errorf("gpu%d allocates: %v", i, err)
				} else if err == nil {
					d.Free(more)
				}
				d.Free(bufs[i])
			}
			for i, d := range devices {
				if err := d.Close(); i != lost && err != nil {
					t.Errorf("gpu%d closes: %v", i, err)
				}
			}
			fake.Ledger() // a lost device may keep what it has
			fake.Call("cuDevicePrimaryCtxReset_v2", uint64(lost))
		})
	}
}
