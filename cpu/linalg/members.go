package linalg

import (
	"weft/cpu/blas"
	"weft/tile"
)

// mostMembers is how many rows the matrices of a stack have at most that C goes through: what a call of C costs is
// nothing beside the factorisation of larger ones.
const mostMembers = 64

// members computes the members of a stack from number lo on, as far as they are evenly apart, and returns behind which;
// lo where it is nothing for it.
func (r *row) members(j *job, c *tile.Call, lo, hi int) (next int, err error) {
	first := &c.Args[0]
	lead := len(first.Shape) - r.axes[0]
	n, last := first.Shape[lead], first.Shape[lead-1]
	if n < 1 || n > mostMembers {
		return lo, nil
	}
	count := min(hi-lo, last-lo%last)
	var all [3]blas.Members
	var m [3]matrix
	for i := range all {
		m[i] = member(&c.Args[i], r.axes[i], lo)
		o := &c.Args[i]
		all[i] = blas.Members{P: m[i].p, Step: int(o.Strides[len(o.Shape)-r.axes[i]-1]), Down: m[i].down, Right: m[i].right}
	}
	return r.many(j, m, all, lo, count)
}

func solveMembers(j *job, m [3]matrix, all [3]blas.Members, lo, count int) (next int, err error) {
	n, sides := m[0].rows, m[1].columns
	if sides > mostMembers {
		return lo, nil
	}
	room, err := j.scratch(blas.Room(n, sides, j.size), 1)
	if err != nil {
		return lo, err
	}
	solved, ok := j.lib.SolveMembers(j.letter, j.size, n, sides, count, all[0], all[1], all[2], room)
	if ok && solved < count {
		err = fault("Singular matrix")
	}
	return lo + solved, err
}

func slogdetMembers(j *job, m [3]matrix, all [3]blas.Members, lo, count int) (next int, err error) {
	if j.complex {
		return lo, nil
	}
	room, err := j.scratch(blas.Room(m[0].rows, 0, j.size), 1)
	if err != nil || !j.lib.SignsAndLogs(m[0].rows, count, all[0], all[1], all[2], room) {
		return lo, err
	}
	return lo + count, nil
}
