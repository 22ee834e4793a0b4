package main

import (
	"fmt"
	"io"
	"time"

	"weft/cuda/driver"
)

// meter measures one device. Each figure is the least of several turns, for what disturbs only adds.
type meter struct {
	*session
	q        *driver.Queue
	from, to *driver.Event
	empty    driver.Function
	copied   float64 // bytes a second of a copy within the device, read and written
	err      error   // the first; nothing is measured after it
}

// measure writes what calls of the driver cost, then what weft's device makes of it.
func measure(w io.Writer, _ []string) error {
	d, err := driver.Open(0)
	if err != nil {
		return err
	}
	m := &meter{session: &session{d, w}}
	if m.q, err = d.NewQueue(); err != nil {
		return err
	}
	for _, e := range []**driver.Event{&m.from, &m.to} {
		if *e, err = d.NewEvent(); err != nil {
			return err
		}
	}
	f, ok := m.function(entry(""))
	if !ok {
		return fmt.Errorf("measure: the empty function was not compiled")
	}
	m.empty = f
	m.calls()
	m.copies()
	if m.err == nil {
		m.err = m.q.Close()
	}
	if m.err == nil {
		m.err = d.Close()
	}
	if m.err != nil {
		return m.err
	}
	return measureDevice(w, m.copied)
}

// must keeps the first error.
func (m *meter) must(err error) {
	if m.err == nil {
		m.err = err
	}
}

// best writes the shortest of several turns of f, each of which does its work n times.
func (m *meter) best(what string, n int, f func()) {
	least := time.Duration(1 << 62)
	for range 7 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	m.must(m.q.Synchronize())
	if m.err == nil {
		fmt.Fprintf(m.w, "%-52s %9.2f us\n", what, least.Seconds()*1e6/float64(n))
	}
}

// calls measures what takes no time on the device.
func (m *meter) calls() {
	one, many := &driver.Batch{}, &driver.Batch{}
	one.Add(m.empty, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 0)
	for range 64 {
		many.Add(m.empty, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 0)
	}
	m.must(m.q.Launch(many))
	m.must(m.q.Synchronize())
	m.best("launch, handed over (of 500)", 500, func() {
		for range 500 {
			m.must(m.q.Launch(one))
		}
	})
	m.best("launch, handed over and run (of 500)", 500, func() {
		for range 500 {
			m.must(m.q.Launch(one))
		}
		m.must(m.q.Synchronize())
	})
	m.best("launch in a batch of 64, handed over", 64, func() { m.must(m.q.Launch(many)) })
	m.best("launch in a batch of 64, handed over and run", 64, func() {
		m.must(m.q.Launch(many))
		m.must(m.q.Synchronize())
	})
	m.best("launch and wait for the queue", 1, func() {
		m.must(m.q.Launch(one))
		m.must(m.q.Synchronize())
	})
	m.best("launch, event and wait for it", 1, func() {
		m.must(m.q.Launch(one))
		m.must(m.q.Record(m.to))
		m.must(m.to.Synchronize())
	})
	m.best("event recorded (of 500)", 500, func() {
		for range 500 {
			m.must(m.q.Record(m.to))
		}
	})
	m.best("event asked (of 500)", 500, func() {
		for range 500 {
			_, err := m.to.Happened()
			m.must(err)
		}
	})
	m.best("event made and closed (of 100)", 100, func() {
		for range 100 {
			e, err := m.NewEvent()
			m.must(err)
			if err == nil {
				m.must(e.Close())
			}
		}
	})
	for _, n := range []int64{256, 1 << 20, 1 << 28} {
		m.best(fmt.Sprintf("alloc and free of %d bytes (of 10)", n), 10, func() {
			for range 10 {
				a, err := m.Alloc(n)
				m.must(err)
				if err == nil {
					m.must(m.Free(a))
				}
			}
		})
	}
	m.best("module of an empty function compiled", 1, func() {
		module, _, err := m.LoadModule(entry(fmt.Sprintf("mov.u32 %%r1, %d;", time.Now().UnixNano()&0xffffff))) // none that a cache has
		m.must(err)
		if err == nil {
			m.must(module.Unload())
		}
	})
}

// copies measures bandwidth: bytes that are read and written both count.
func (m *meter) copies() {
	const big = 1 << 30
	a, err := m.Alloc(big)
	m.must(err)
	b, err := m.Alloc(big)
	m.must(err)
	pinned, err := m.AllocHost(big / 4)
	m.must(err)
	if m.err != nil {
		return
	}
	plain := make([]byte, big/4)
	for i := 0; i < len(plain); i += 4096 {
		plain[i], pinned[i] = 1, 1
	}
	small := make([]byte, 8)
	m.best("read of 8 bytes", 1, func() { m.must(m.CopyOut(small, a)) })
	m.best("read of 8 bytes into page-locked memory, and wait", 1, func() {
		m.must(m.q.CopyOut(pinned[:8], a))
		m.must(m.q.Synchronize())
	})
	m.best("write of 8 bytes from page-locked memory, handed over", 1, func() { m.must(m.q.CopyIn(a, pinned[:8])) })
	m.copied = m.rate("copy within the device, 1 GiB", 2*big, func() { m.must(m.q.CopyWithin(b, a, big)) })
	m.rate("copy within the device, 64 MiB", 2<<26, func() { m.must(m.q.CopyWithin(b, a, 1<<26)) })
	m.rate("copy in, 256 MiB of page-locked memory", big/4, func() { m.must(m.q.CopyIn(a, pinned)) })
	m.rate("copy out, 256 MiB of page-locked memory", big/4, func() { m.must(m.q.CopyOut(pinned, a)) })
	m.timed("copy in, 256 MiB of plain memory", big/4, func() { m.must(m.CopyIn(a, plain)) })
	m.timed("copy out, 256 MiB of plain memory", big/4, func() { m.must(m.CopyOut(plain, a)) })
	m.must(m.FreeHost(pinned))
	m.must(m.Free(a))
	m.must(m.Free(b))
}

// rate writes the bandwidth of work on the queue, by the device's clock, and returns it.
func (m *meter) rate(what string, bytes float64, f func()) float64 {
	least := time.Duration(1 << 62)
	for range 7 {
		m.must(m.q.Record(m.from))
		f()
		m.must(m.q.Record(m.to))
		m.must(m.to.Synchronize())
		took, err := m.to.Since(m.from)
		m.must(err)
		least = min(least, took)
	}
	return m.bandwidth(what, bytes, least)
}

// timed writes the bandwidth of work that the host waits for.
func (m *meter) timed(what string, bytes float64, f func()) {
	least := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	m.bandwidth(what, bytes, least)
}

func (m *meter) bandwidth(what string, bytes float64, took time.Duration) float64 {
	rate := bytes / max(took.Seconds(), 1e-9)
	if m.err == nil {
		fmt.Fprintf(m.w, "%-52s %9.1f GB/s %10.1f us\n", what, rate/1e9, took.Seconds()*1e6)
	}
	return rate
}
