package jit

import "weft/tile"

// CheckHalo reports where threads of one launch read further from their own position than is declared: for an argument
// how far along each of its axes, or nothing.
func (k *Kernel) CheckHalo(f *Facts, halo [][]int64) (err error) {
	defer recovered(&err)
	l := k.lower
	for _, e := range l.elements {
		if e.array >= len(halo) || halo[e.array] == nil {
			continue
		}
		for i, d := range e.dims {
			name, by := l.names[e.array], d.at.value(f)
			if d.axis < 0 {
				l.fail(nil, "ValueError", "Leave its halo out: then all of it is there for each thread.",
					"halo: %s is read at index %d along axis %d, wherever the thread is", name, by, i)
			}
			if d.axis != i {
				l.fail(nil, "ValueError", "Leave its halo out: then all of it is there for each thread.",
					"halo: %s is read along axis %d by the thread's position along axis %d", name, i, d.axis)
			}
			if most := halo[e.array][i]; by > most || by < -most {
				l.fail(nil, "ValueError", "", "halo: %s is read %d elements from the thread's position along axis %d; declared are %d", name, max(by, -by), i, most)
			}
		}
	}
	gathers(l.out, func(in *instr) {
		if in.n < len(halo) && halo[in.n] != nil {
			l.fail(nil, "ValueError", "Index it by the thread's position plus a number, or leave its halo out: then all of it is there for each thread.",
				"halo: %s is read at an index that is not known before the kernel runs", l.names[in.n])
		}
	})
	return nil
}

// gathers calls f for each instruction that reads an element which only the thread knows.
func gathers(b *block, f func(in *instr)) {
	for _, in := range b.code {
		if in.op == tile.Gather {
			f(in)
		}
		if in.first != nil {
			gathers(in.first, f)
			gathers(in.second, f)
		}
	}
}
