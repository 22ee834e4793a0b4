package sim

import (
	"fmt"

	"weft/scheduler"
	"weft/tile"
)

// occupancy is the slow, obvious twin of the core's accounts: it counts the bytes of each
// memory as tasks really take and free them, in whatever order they run.
type occupancy struct {
	machine scheduler.Machine
	live    []int64
	peak    []int64
}

func newOccupancy(m scheduler.Machine) occupancy {
	return occupancy{m, make([]int64, len(m.Memories)), make([]int64, len(m.Memories))}
}

// size returns what an instance takes up.
func (o *occupancy) size(inst *scheduler.Instance) int64 {
	grain := max(1, o.machine.Memories[inst.Memory].Grain)
	return (max(1, inst.Hi-inst.Lo) + grain - 1) / grain * grain
}

// take fails if there is no room: the core never lets a task start that has to wait for memory.
func (o *occupancy) take(inst *scheduler.Instance) error {
	n, mem := o.size(inst), o.machine.Memories[inst.Memory]
	o.live[inst.Memory] += n
	o.peak[inst.Memory] = max(o.peak[inst.Memory], o.live[inst.Memory])
	if mem.Capacity > 0 && o.live[inst.Memory] > mem.Capacity {
		return fmt.Errorf("BUG: inv 7: %v of %d bytes makes %d in %v, which has %d", inst.ID, n, o.live[inst.Memory], inst.Memory, mem.Capacity)
	}
	return nil
}

func (o *occupancy) free(inst *scheduler.Instance) { o.live[inst.Memory] -= o.size(inst) }

// buffer returns an instance's memory, exactly as large as the instance.
func (s *simulator) buffer(inst *scheduler.Instance) (tile.Buffer, error) {
	b, ok := s.memory[inst.ID]
	if ok {
		return b, nil
	}
	if err := s.occupancy.take(inst); err != nil {
		return b, err
	}
	b, err := s.alloc(inst.Hi-inst.Lo, 0xa5)
	if err != nil {
		return b, err
	}
	b.Size = max(1, inst.Hi-inst.Lo)
	s.memory[inst.ID] = b
	return b, nil
}

// reserve takes the memory that a task needs.
func (s *simulator) reserve(t *scheduler.Task) (err error) {
	if t.Kind == scheduler.Free || s.taints.fails(t) {
		return nil
	}
	each(t, func(inst *scheduler.Instance) {
		if err == nil {
			_, err = s.buffer(inst)
		}
	})
	if err != nil {
		return fmt.Errorf("%v: %w", t, err)
	}
	return nil
}
