package cuda

import (
	"sync"

	"weft/cuda/driver"
)

// staging is page-locked memory through which small copies pass: the driver then copies without making its caller wait,
// and the host's side is read when the copy is started, and written when it is done.
type staging struct {
	dev    *driver.Device
	memory []byte

	mu   sync.Mutex
	free [][]byte
}

// stageBytes is the size of a slot: above it, the driver's own staging costs little beside the copy itself (about 10 us
// for 64 KiB at 6 GB/s of pageable memory). stageSlots is how many there are.
const (
	stageBytes = 64 << 10
	stageSlots = 64
)

func (s *staging) open(dev *driver.Device) (err error) {
	s.dev = dev
	if s.memory, err = dev.AllocHost(stageBytes * stageSlots); err != nil {
		return err
	}
	for i := range stageSlots {
		s.free = append(s.free, s.memory[i*stageBytes:][:stageBytes:stageBytes])
	}
	return nil
}

// take returns a slot for n bytes, or nil where n is too much or none is free.
func (s *staging) take(n int64) []byte {
	if n > stageBytes {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return nil
	}
	b := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return b
}

func (s *staging) give(b []byte) {
	s.mu.Lock()
	s.free = append(s.free, b)
	s.mu.Unlock()
}

func (s *staging) close() error {
	if s.memory == nil {
		return nil
	}
	return s.dev.FreeHost(s.memory)
}
