package cuda

import "sync"

// peers is what a device knows of others that it has copied from. It reaches their memory by itself where the machine
// has a way (NVLink, or PCIe through one switch), and is let in when the first copy comes; else the driver takes the
// bytes through the host, which costs two passes over its memory.
//
//	Copy gpu1 -> gpu0      Reach: cuCtxEnablePeerAccess      admit: cuMemSetAccess of gpu1's pages, now and later
type peers struct {
	mu      sync.Mutex
	reached map[*Device]bool
}

// knows reports whether meet would have nothing to do.
func (p *peers) knows(other *Device) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.reached[other]
	return known
}

// meet has the device reach another one's memory, if it can. What goes wrong leaves the bytes to the host; a device
// that is lost says so: the other one, where it can't let this one in.
func (d *Device) meet(other *Device) {
	p := &d.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.reached[other]; known {
		return
	}
	if p.reached == nil {
		p.reached = map[*Device]bool{}
	}
	reaches, err := d.dev.Reach(other.dev)
	_ = d.note(err)
	if err == nil && reaches {
		err = other.pool.admit(d.Ordinal())
		_ = other.note(err)
	}
	p.reached[other] = reaches && err == nil
}
