package cpu

import "weft/tile"

// spinning returns the loops in which threads may wait for others: at a lock, for a flag, or for a number. These are
// the loops that take what an atomic gives, and those that go on for as long as what they read of memory says, which
// others may write. With any, all loops are taken for such.
func spinning(p *tile.Program, any bool) map[int]bool {
	loops := map[int]bool{}
	used := usedValues(p)
	to := tile.Partners(p)
	var open []int
	for i := range p.Code {
		switch p.Code[i].Op {
		case tile.Loop:
			open = append(open, i)
		case tile.End:
			if to[i] == 0 { // of an if
				break
			}
			head := open[len(open)-1]
			open = open[:len(open)-1]
			if any || takesAtomics(p, used, head, i) || turnsOnMemory(p, to, head, i) {
				loops[head] = true
			}
		}
	}
	return loops
}

// takesAtomics reports whether some instruction from one to another is an atomic whose result is used.
func takesAtomics(p *tile.Program, used []bool, from, to int) bool {
	for i := from; i < to; i++ {
		if op := p.Code[i].Op; op == tile.Cas || op == tile.Atomic && used[i] {
			return true
		}
	}
	return false
}

// turnsOnMemory reports whether the condition of a loop that begins and ends there follows from what its turns read of
// memory that threads write: as an operand, or because it says which way to take.
func turnsOnMemory(p *tile.Program, to []tile.Value, from, end int) bool {
	told := make([]bool, len(p.Code))
	for changed := true; changed; {
		changed = false
		var loops []int // that are open
		for i := from; i <= end; i++ {
			in := &p.Code[i]
			now := told[i]
			for _, a := range in.Operands() {
				now = now || told[a]
			}
			switch in.Op {
			case tile.Element:
				m := tile.Memory(in.N)
				now = now || (m >= 0 && p.Params[m].Dir.Writes()) || (m < 0 && p.Scratch[^m].Space == tile.Shared)
			case tile.Loop:
				loops = append(loops, i)
			case tile.End:
				if to[i] != 0 {
					loops = loops[:len(loops)-1]
				}
			case tile.Merge:
				now = now || told[to[i]] // the if
			case tile.While:
				head := loops[len(loops)-1]
				if now && head == from {
					return true
				}
				for c := head + 1; now && p.Code[c].Op == tile.Carry; c++ {
					if !told[c] {
						told[c], changed = true, true
					}
				}
			case tile.Next:
				if c := in.Args[0]; told[in.Args[1]] && !told[c] {
					told[c], changed = true, true
				}
				continue
			}
			if now && !told[i] {
				told[i], changed = true, true
			}
		}
	}
	return false
}
