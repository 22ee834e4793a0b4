package cuda

import (
	"encoding/binary"
	"errors"
	"sync"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// faultSlot is the fault block and the stop word of one launch.
type faultSlot struct {
	block  []byte         // the fault block, as the host sees it
	faults driver.Address // as the device does
	stop   driver.Address
	set    bool // the stop word is, or may be
}

// faultSlots are the slots of a device. They are zero while nothing uses them.
type faultSlots struct {
	dev     *driver.Device
	control *driver.Queue // nothing else is on it, so that no stop word waits

	mu    sync.Mutex
	free  []*faultSlot
	hosts [][]byte
	stops []driver.Address
	words []byte // a stop word that says stop, and zeros for many: page-locked
}

// slotsAtOnce is how many slots are made together: more than there are launches under way in any but odd programs.
const slotsAtOnce = 256

func (s *faultSlots) open(dev *driver.Device) (err error) {
	s.dev = dev
	if s.control, err = dev.NewQueue(); err != nil {
		return err
	}
	if s.words, err = dev.AllocHost((1 + slotsAtOnce) * ptx.StopBytes); err != nil {
		return err
	}
	clear(s.words)
	s.words[0] = 1
	return s.grow()
}

// grow makes more slots. The caller holds the mutex, but for the first time.
func (s *faultSlots) grow() error {
	host, faults, err := s.dev.AllocMapped(slotsAtOnce * ptx.FaultBytes)
	if err != nil {
		return err
	}
	s.hosts = append(s.hosts, host)
	stops, err := s.dev.Alloc(slotsAtOnce * ptx.StopBytes)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, stops)
	if err := s.zero(stops, slotsAtOnce*ptx.StopBytes); err != nil {
		return err
	}
	for i := range slotsAtOnce {
		s.free = append(s.free, &faultSlot{
			block:  host[i*ptx.FaultBytes:][:ptx.FaultBytes:ptx.FaultBytes],
			faults: faults + driver.Address(i*ptx.FaultBytes), stop: stops + driver.Address(i*ptx.StopBytes),
		})
	}
	return nil
}

// zero clears stop words; it returns when they are. A copy that says it waits may return before the device has the
// bytes.
func (s *faultSlots) zero(at driver.Address, n int) error {
	if err := s.control.CopyIn(at, s.words[ptx.StopBytes:][:n]); err != nil {
		return err
	}
	return s.control.Synchronize()
}

// take returns a slot that nothing uses.
func (s *faultSlots) take() (*faultSlot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		if err := s.grow(); err != nil {
			return nil, err
		}
	}
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return slot, nil
}

// stopWord is how many bytes the host sets to stop a launch. Those behind them are the kernel's, which may be running:
// a grid that meets counts its blocks there.
const stopWord = 4

// tell sets a launch's stop word.
func (s *faultSlots) tell(slot *faultSlot) error {
	slot.set = true
	return s.control.CopyIn(slot.stop, s.words[:stopWord])
}

// give takes back the slot of a launch that is done, and returns what its fault block says.
func (s *faultSlots) give(slot *faultSlot, l *tile.Launch) error {
	var words [ptx.FaultBytes / 8]uint64
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(slot.block[8*i:])
	}
	fault := ptx.Fault(words[:], l)
	if fault != nil {
		clear(slot.block)
	}
	if slot.set || fault != nil { // threads that fail use what is behind the stop word
		if err := s.zero(slot.stop, ptx.StopBytes); err != nil { // behind the copy that set it
			return errors.Join(fault, err)
		}
		slot.set = false
	}
	s.mu.Lock()
	s.free = append(s.free, slot)
	s.mu.Unlock()
	return fault
}

func (s *faultSlots) close() error {
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, s.dev.FreeHost(h))
	}
	for _, a := range s.stops {
		errs = append(errs, s.dev.Free(a))
	}
	if s.words != nil {
		errs = append(errs, s.dev.FreeHost(s.words))
	}
	if s.control != nil {
		errs = append(errs, s.control.Close())
	}
	return errors.Join(errs...)
}
