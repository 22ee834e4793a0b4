package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/cuda"
	"weft/install/flags"
	"weft/tile"
)

// gpu is a device that may be lost, and that knows what programs take of it.
type gpu interface {
	Lost() error
	Ordinal() int
	Occupancy(p *tile.Program, threads int, dynamic int64) (cuda.Occupancy, error)
}

// lost are the ordinals of the GPUs whose contexts have ended.
type lost struct {
	mu  sync.Mutex
	all []int
}

func (l *lost) add(ordinal int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, ordinal)
}

func (l *lost) ordinals() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// AnyLost says whether the machine has a GPU whose context has ended.
func (s *Workspace) AnyLost() bool {
	m := s.Machine()
	return m != nil && slices.ContainsFunc(m.gpus, func(g gpu) bool { return g.Lost() != nil })
}

// LeaveLost goes on without the GPUs whose contexts have ended: CUDA gives a process no second one. It returns what the
// user is to be told. carry moves the program's arrays to the new machine; those whose values were on a lost GPU alone
// go on raising its error.
func (s *Workspace) LeaveLost(carry func(*Machine) error) (said string, err error) {
	var causes []error
	for _, gpu := range s.Machine().gpus {
		if cause := gpu.Lost(); cause != nil {
			causes = append(causes, cause)
			s.lost.add(gpu.Ordinal())
		}
	}
	if err := s.Restart(s.Flags(), carry); err != nil {
		return "", errors.Join(append(causes, err)...)
	}
	return fmt.Sprintf("%v. From here on the work is done by: %s", errors.Join(causes...), strings.Join(s.Machine().names, ", ")), nil
}

// wantsLost is the error of flags that ask for a GPU which this process has lost.
func (s *Workspace) wantsLost(f flags.Settings) error {
	for _, ordinal := range s.lost.ordinals() {
		if !f.Emulate && ordinal < f.GPUs {
			return fmt.Errorf("--gpus %d: gpu%d was lost, and CUDA gives a process no second context: restart the kernel to use it again, or ask for at most %d", f.GPUs, ordinal, ordinal)
		}
	}
	return nil
}
