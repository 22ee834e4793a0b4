package driver

import (
	"errors"
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Other libraries of the process, guests, share the memory of a device that is a tile.Sharer:
//
//	Adopt     a guest's array becomes the bytes of a fresh store, without a copy
//	Expose    a guest gets the address of a store's bytes, until release
//
// Of such a store the runtime knows no more than of memory that the program may write behind its back: what a guest
// does is in streams of its own, at times that no call tells. So each op on it is a meeting, as claim has it, but on
// the device, where the store has its home (core.Guests):
//
//	Settle    what guests were told to do in any stream has been done
//	visit     the home's bytes are the valid ones; what reads them still has ended
//	the op    is planned and runs
//	visit     the home has the result, and all that used it has ended: whatever the guest does next may go on at once
//
// A read of the host's begins with the first two. A guest that lets go of an exposed store may have been told to write
// just before, so that the home stays until the next meeting, whose visit is the last one:
//
//	Expose ----> guests > 0: each op meets ----> release ----> guests = 0 ----> a meeting ----> depart: no home any more
//	                                                |
//	                                                +----> Free: the device gives the bytes out again in its own time
//
// What is adopted has its home for as long as it has a name. Its owner keeps the bytes until back, which is called when
// all tasks that use them are completed.

// sharerOf returns what guests can have memory of, or nil.
func sharerOf(dev tile.Device) tile.Sharer {
	if s, ok := dev.(tile.Sharer); ok && !dev.Info().Host {
		return s
	}
	return nil
}

// ErrNoGuests is what guests get where no device has memory that they could use: on machines without GPUs, and with
// emulated ones, which have no addresses.
var ErrNoGuests = errors.New("no device has memory with addresses that other libraries could use: weft runs on the CPUs, or on emulated GPUs")

// ErrHosts is what a guest gets where the host's program may write to a store's bytes in its own memory.
var ErrHosts = errors.New("arrays of the host's memory share its bytes, so that no GPU's can be the only ones: copy the array")

// Adopt makes a guest's memory, n bytes of a device from an address on, the bytes of a fresh store. It waits for a
// stream of the guest's, or for all with tile.AllStreams; settled says that there is nothing to wait for. back is
// called as Lend's is.
func (r *Runtime) Adopt(id scheduler.StoreID, address uint64, stream uint64, settled bool, back func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	size, ok := r.core.Look.Bytes(id)
	if !ok {
		return fmt.Errorf("driver: memory is lent to %v, but there is no such store", id)
	}
	d, buf, err := r.ownerOf(address, size)
	if err != nil {
		return err
	}
	if !settled {
		if err := r.awaitGuests(d, stream, r.stops()); err != nil {
			return err
		}
	}
	err = r.install(id, buf, back, func(id scheduler.StoreID) (*scheduler.Instance, error) {
		return r.core.Guests.Lent(id, d.memory)
	})
	if err == nil {
		r.mapped[id] = &mapping{lent: true, home: d, adopted: address}
	}
	return err
}

// ownerOf returns the device in whose memory a guest's bytes are, and these as a buffer.
func (r *Runtime) ownerOf(address uint64, n int64) (*device, tile.Buffer, error) {
	var why error = ErrNoGuests
	names := ""
	for _, d := range r.devices {
		if d.sharer == nil {
			continue
		}
		buf, err := d.sharer.Adopt(address, n)
		if err == nil {
			return d, buf, nil
		}
		names += " " + d.info.Name
		if why = err; !errors.Is(err, tile.ErrElsewhere) {
			break
		}
	}
	if errors.Is(why, tile.ErrElsewhere) {
		why = fmt.Errorf("%w: weft runs on%s; let it have that GPU, too, by --gpus, or copy the array to one of these", why, names)
	}
	return nil, tile.Buffer{}, why
}

// Expose gives a guest the address of a whole store, on the device where most of its bytes are, until release. The
// store's value is there, and every op on the store comes to an agreement with the guest: see above.
func (r *Runtime) Expose(id scheduler.StoreID, stop <-chan struct{}) (g Guest, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return g, err
	}
	if _, ok := r.core.Look.Bytes(id); !ok {
		return g, fmt.Errorf("driver: %v is exposed, but there is no such store", id)
	}
	m := r.mapped[id]
	switch {
	case m != nil && m.home == nil && (m.writers > 0 || m.lent):
		return g, ErrHosts
	case m == nil:
		m = new(mapping)
	}
	d := m.home
	if d == nil {
		if d = r.nearest(id); d == nil {
			return g, ErrNoGuests
		}
	}
	old := m.home
	m.home, r.mapped[id] = d, m
	m.guests++      // keeps the store while others run
	if old != nil { // what another guest was told to do
		err = r.awaitGuests(d, tile.AllStreams, stop)
	}
	var inst *scheduler.Instance
	if err == nil {
		inst, err = r.visit(id, m, d, stop)
	}
	if err == nil {
		err = r.core.Guests.Failure(id)
	}
	var buf tile.Buffer
	if err == nil {
		buf, err = r.demand(inst, stop)
	}
	if err != nil {
		if old == nil && m.guests == 1 && !m.given { // else another has come meanwhile, and may have left after a write
			m.home = nil
			r.core.Guests.Leave(id)
		}
		r.unhold(id, m, &m.guests)
		return g, r.explain(err)
	}
	m.given = true
	return Guest{Address: d.sharer.Expose(buf), Device: d.sharer, Release: r.releaser(id, m, &m.guests)}, nil
}

// Guest is a store's bytes as another library gets them.
type Guest struct {
	Address uint64
	Device  tile.Sharer // in whose memory they are
	Release func()
}

// nearest returns the device on which a guest is to have a store: of those that can share, the one with most of its
// bytes, and of these the first.
//
// Which device that is decides where the guest computes, and what moves: of an array that is cut over several, the rest
// is copied there, and with each op that another device takes a part of, to and fro.
func (r *Runtime) nearest(id scheduler.StoreID) (best *device) {
	most := int64(-1)
	for _, d := range r.devices {
		if d.sharer == nil || d.lostBy != "" {
			continue
		}
		has := int64(0)
		for _, p := range r.core.Look.Placement(id) {
			if p.Memory == d.memory {
				has = p.Bytes
			}
		}
		if has > most {
			best, most = d, has
		}
	}
	return best
}

// Home returns the device that guests have a store on, or nil.
func (r *Runtime) Home(id scheduler.StoreID) tile.Sharer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.mapped[id]; m != nil && m.home != nil {
		return m.home.sharer
	}
	return nil
}

// HomeToBe is Home, or where a guest would get a store that has none now.
func (r *Runtime) HomeToBe(id scheduler.StoreID) tile.Sharer {
	if d := r.Home(id); d != nil {
		return d
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.nearest(id); d != nil {
		return d.sharer
	}
	return nil
}

// Shares reports whether there is a device whose memory guests can have.
func (r *Runtime) Shares() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.devices, func(d *device) bool { return d.sharer != nil })
}

// stops returns what ends a wait in a call that was given nothing that does.
func (r *Runtime) stops() <-chan struct{} {
	if r.opt.Stops == nil {
		return nil
	}
	return r.opt.Stops()
}

// awaitGuests waits for what guests were told to do on a device, without the mutex and what Options.Release is for:
// what they do may be functions of the program's. Where stop delivers first, the goroutine that waits is left behind;
// its answer is of no use any more.
//
// The mutex is let go meanwhile, as in await: another thread may submit ops, expose and free stores, end homes and
// close the runtime.
func (r *Runtime) awaitGuests(d *device, stream uint64, stop <-chan struct{}) error {
	settled := make(chan error, 1)
	go func() { settled <- d.sharer.Settle(stream) }()
	r.counts.add(Meetings)
	return r.outside(settled, stop)
}

// AwaitStream waits until a stream of a guest's has run empty, which is on one of the devices that share memory.
func (r *Runtime) AwaitStream(stream uint64, stop <-chan struct{}) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	why := ErrNoGuests
	for _, d := range r.devices {
		if d.sharer == nil || d.lostBy != "" {
			continue
		}
		if why = r.awaitGuests(d, stream, stop); why == nil || !errors.Is(why, tile.ErrElsewhere) {
			break
		}
	}
	return why
}

// outside waits, as awaitGuests does.
func (r *Runtime) outside(done <-chan error, stop <-chan struct{}) error {
	r.mu.Unlock()
	back := func() {}
	if r.opt.Release != nil {
		back = r.opt.Release()
	}
	var err error
	select {
	case err = <-done:
	case <-stop:
		err = r.opt.Interrupted
	}
	back()
	r.mu.Lock()
	if err == nil {
		err = r.usable()
	}
	return err
}

// awaitReturns has the starved try again when buffers come back that guests had the address of, if some do.
//
//	relieve ----> awaitReturns ----> the starved wait, and the program's thread without its locks
//	                                        |
//	a guest's stream ends ----> the pool ----> returned ----> feed, pump
func (r *Runtime) awaitReturns() {
	for _, d := range r.devices {
		if d.sharer != nil && !d.returns {
			d.returns = d.sharer.Leaving(func() { r.returned(d) })
		}
	}
}

// returned is told that a buffer has come back.
func (r *Runtime) returned(d *device) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.contain()
	d.returns = false
	if r.usable() == nil {
		r.feed()
		r.pump()
	}
}

// SettleGuests waits for what guests were told to do with any store: who moves all of them to another runtime while it
// has locks that guests may want waits here first. What goes wrong otherwise, the reads tell.
func (r *Runtime) SettleGuests(stop <-chan struct{}) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var homes []*device
	for _, m := range r.mapped {
		if m.home != nil && !slices.Contains(homes, m.home) {
			homes = append(homes, m.home)
		}
	}
	for _, d := range homes {
		if err := r.awaitGuests(d, tile.AllStreams, stop); errors.Is(err, r.opt.Interrupted) {
			return err
		}
	}
	return nil
}

// meet waits for the guests of the stores of an op. Without the wait the op would run beside what they do. An interrupt
// ends it, and the op is not submitted.
func (r *Runtime) meet(op *scheduler.Op) error {
	var met []*device
	for i := range op.Uses {
		id := op.Uses[i].View.Store
		m := r.mapped[id]
		if m == nil || m.home == nil {
			continue
		}
		if err := r.there(id, m); err != nil {
			return err
		}
		if home := m.home; !slices.Contains(met, home) {
			met = append(met, home)
			if err := r.awaitGuests(home, tile.AllStreams, r.stops()); err != nil {
				return err
			}
		}
	}
	return nil
}

// there looks whether a guest still has the memory that it lent: without it an op would end the device's context. What
// the driver has given out anew at that address it cannot tell.
func (r *Runtime) there(id scheduler.StoreID, m *mapping) error {
	if m.adopted == 0 {
		return nil
	}
	size, _ := r.core.Look.Bytes(id)
	_, err := m.home.sharer.Adopt(m.adopted, size)
	if err != nil {
		return fmt.Errorf("the array was taken from another library, which has freed it before weft was done with it: %w", err)
	}
	return nil
}

// errDeparted ends a visit of a home that another thread has ended meanwhile: what guests had written is the store's
// value by then.
var errDeparted = errors.New("the store has no home any more")

// visit makes the bytes of a store's home the valid ones, and waits for what still uses them. There is no instance
// where the home has ended meanwhile.
func (r *Runtime) visit(id scheduler.StoreID, m *mapping, home *device, stop <-chan struct{}) (*scheduler.Instance, error) {
	size, _ := r.core.Look.Bytes(id)
	inst, err := r.agree(true, stop, func() (*scheduler.Instance, []scheduler.TaskID, error) {
		if m.home != home {
			return nil, nil, errDeparted
		}
		return r.core.Guests.Need(id, home.memory)
	})
	if errors.Is(err, errDeparted) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return inst, r.hostAccess(inst, 0, size, true)
}

// received is what a read of the host's begins with: what guests have written is the store's value.
func (r *Runtime) received(id scheduler.StoreID, stop <-chan struct{}) error {
	m := r.mapped[id]
	if m == nil || m.home == nil {
		return nil
	}
	if err := r.there(id, m); err != nil {
		return err
	}
	home := m.home
	if err := r.awaitGuests(home, tile.AllStreams, stop); err != nil {
		return err
	}
	_, err := r.visit(id, m, home, stop)
	r.depart(id, m)
	return err
}

// depart ends the home of a store, after a visit, if its guests have left: what they have written is the store's value.
func (r *Runtime) depart(id scheduler.StoreID, m *mapping) {
	if m.guests > 0 || m.lent || m.home == nil {
		return
	}
	m.home, m.given = nil, false
	r.core.Guests.Leave(id)
	if !m.held() {
		delete(r.mapped, id)
		r.core.Host.Pin(id, false)
	}
}
