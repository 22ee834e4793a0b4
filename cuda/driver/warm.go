package driver

import "sync"

// Warmth is contexts that are made while a program does something else. A nil Warmth has none.
type Warmth struct {
	parts   sync.WaitGroup
	mu      sync.Mutex
	devices []*Device
}

// Warm begins to make the contexts of the first n devices, which takes some tenths of a second each. Open then finds
// the device's context there. What goes wrong is told by Open.
func Warm(n int) *Warmth {
	w := &Warmth{}
	w.parts.Go(func() {
		r := Probe()
		if r.Problem != "" {
			return
		}
		for i := range min(n, len(r.Devices)) {
			w.parts.Go(func() {
				if d, err := Open(i); err == nil {
					w.mu.Lock()
					w.devices = append(w.devices, d)
					w.mu.Unlock()
				}
			})
		}
	})
	return w
}

// Wait waits until the contexts are made.
func (w *Warmth) Wait() {
	if w != nil {
		w.parts.Wait()
	}
}

// Leave gives the contexts up when they are made: devices that were opened keep theirs.
func (w *Warmth) Leave() {
	if w == nil {
		return
	}
	w.parts.Wait()
	for _, d := range w.devices {
		_ = d.Close() // a device that cannot give up a context is lost, and says so to its user
	}
	w.devices = nil
}
