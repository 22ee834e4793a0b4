package cuda

import (
	"fmt"
	"unsafe"

	"weft/cuda/driver"
	"weft/tile"
)

// move is a copy that has been checked. A side that is on a device has an address, one on the host bytes, which are the
// rows' reach.
type move struct {
	rows     driver.Rows
	dst, src driver.Address
	to, from []byte
	fromDev  *Device // of src, where that is on a device
	stage    []byte  // the host's side of a small copy, row behind row
}

// newMove checks a copy and takes a slot for a small one.
func (d *Device) newMove(t *tile.Transfer) (*move, error) {
	if err := tile.CheckTransfer(t); err != nil {
		return nil, err
	}
	m := &move{rows: driver.Rows{Bytes: t.Bytes, N: max(1, t.Rows), DstStep: t.DstStep, SrcStep: t.SrcStep}}
	if m.rows.N == 1 {
		m.rows.DstStep, m.rows.SrcStep = t.Bytes, t.Bytes
	}
	switch dst := t.DstDev.(type) {
	case nil:
		m.to = host(t.Dst, t.DstAt, t.Reach(m.rows.DstStep))
	case *Device:
		if dst != d && t.SrcDev == nil {
			return nil, fmt.Errorf("%s was asked to copy from the host to %s", d.info.Name, dst.info.Name)
		}
		m.dst = driver.Address(t.Dst.Handle + uint64(t.DstAt))
	default:
		return nil, fmt.Errorf("%s cannot copy to %s, which is no GPU of this driver", d.info.Name, dst.Info().Name)
	}
	switch src := t.SrcDev.(type) {
	case nil:
		m.from = host(t.Src, t.SrcAt, t.Reach(m.rows.SrcStep))
	case *Device:
		m.src, m.fromDev = driver.Address(t.Src.Handle+uint64(t.SrcAt)), src
	default:
		return nil, fmt.Errorf("%s cannot copy from %s, which is no GPU of this driver", d.info.Name, src.Info().Name)
	}
	if m.to != nil || m.from != nil {
		m.stage = d.staging.take(m.rows.Bytes * m.rows.N)
	}
	return m, nil
}

// host returns n bytes of a buffer that is host memory.
func host(b tile.Buffer, at, n int64) []byte {
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.Host, at)), n)
}

// pack puts rows one behind the other; unpack takes them apart again.
func pack(dst, src []byte, r driver.Rows) {
	for i := range r.N {
		copy(dst[i*r.Bytes:][:r.Bytes], src[i*r.SrcStep:])
	}
}

func unpack(dst, src []byte, r driver.Rows) {
	for i := range r.N {
		copy(dst[i*r.DstStep:][:r.Bytes], src[i*r.Bytes:])
	}
}

// staged reports whether the copy makes no thread wait: both sides are memory that the device reaches by itself, or
// that it knows the way to.
func (m *move) staged(d *Device) bool {
	return m.stage != nil || m.to == nil && m.from == nil && (!m.peers(d) || d.peers.knows(m.fromDev))
}

// peers reports whether the copy is between two GPUs.
func (m *move) peers(d *Device) bool { return m.fromDev != nil && m.fromDev.Ordinal() != d.Ordinal() }

// submitMove starts a copy. A small one from the host reads it now.
func (q *queue) submitMove(m *move) error {
	r, to, from := m.rows, m.to, m.from
	if m.peers(q.d) {
		q.d.meet(m.fromDev)
	}
	if m.stage != nil {
		if from != nil {
			pack(m.stage, from, r)
			from, r.SrcStep = m.stage, r.Bytes
		} else {
			to, r.DstStep = m.stage, r.Bytes
		}
	}
	if r.Bytes == 0 {
		return nil
	}
	if r.DstStep == r.Bytes && r.SrcStep == r.Bytes { // they lie one behind the other
		r.Bytes, r.N = r.Bytes*r.N, 1
	}
	if r.N == 1 || max(r.DstStep, r.SrcStep) > driver.MaxStep || r.Bytes >= slotBytes {
		for i := range r.N {
			if err := q.copyRow(m, cut(to, i*r.DstStep, r.Bytes), cut(from, i*r.SrcStep, r.Bytes), m.dst+driver.Address(i*r.DstStep), m.src+driver.Address(i*r.SrcStep), r.Bytes); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case to != nil:
		return q.stream.CopyRowsOut(to, m.src, r)
	case from != nil:
		return q.stream.CopyRowsIn(m.dst, from, r)
	case !m.peers(q.d):
		return q.stream.CopyRowsWithin(m.dst, m.src, r)
	}
	return q.stream.CopyRowsFrom(m.dst, m.fromDev.dev, m.src, r)
}

// copyRow starts a copy of n bytes that lie together.
func (q *queue) copyRow(m *move, to, from []byte, dst, src driver.Address, n int64) error {
	if m.stage == nil && (to != nil || from != nil) {
		if err := q.ring.open(q.d.dev, hands()); err != nil {
			return err
		}
	}
	switch {
	case to != nil && m.stage == nil:
		return q.ring.copyOut(q.stream, to, src)
	case from != nil && m.stage == nil:
		return q.ring.copyIn(q.stream, dst, from)
	case to != nil:
		return q.stream.CopyOut(to, src)
	case from != nil:
		return q.stream.CopyIn(dst, from)
	case !m.peers(q.d):
		return q.stream.CopyWithin(dst, src, n)
	}
	return q.stream.CopyFrom(dst, m.fromDev.dev, src, n)
}

// cut returns n bytes of a side that is on the host; nil of one that isn't.
func cut(b []byte, at, n int64) []byte {
	if b == nil {
		return nil
	}
	return b[at:][:n]
}

// finishMove brings what a small copy read to where it belongs, and gives its slot back.
func (q *queue) finishMove(m *move, err error) {
	if m.stage == nil {
		return
	}
	if err == nil && m.to != nil {
		unpack(m.to, m.stage, m.rows)
	}
	q.d.staging.give(m.stage)
}
