package core

import (
	"math/rand/v2"
	"testing"

	"weft/scheduler"
	"weft/scheduler/region"
)

// A history must name, of every byte, who wrote it last and who has read it since, if only
// through those that have waited for them, and for no task that used none of the bytes.
func TestHistoryAgainstBytes(t *testing.T) {
	const bytes = 64
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 8))
		var h history
		type task struct {
			*node
			uses  [bytes]bool
			write bool
			after map[int]bool // all that comes before it
		}
		var tasks []task
		numbers := map[*node]int{}
		for k := range 40 {
			x := task{node: &node{}, write: r.IntN(2) == 0, after: map[int]bool{}}
			x.ID = scheduler.TaskID(k + 1)
			numbers[x.node] = k
			u := use{dense: true, write: x.write}
			step := int64(8)
			if r.IntN(8) == 0 {
				step = 12
			}
			c := region.NewComb(r.Int64N(40), 1+r.Int64N(6), step, 1+r.Int64N(5))
			for c.Hull().Hi > bytes {
				c = region.NewComb(c.Lo, c.Run, c.Step, c.N-1)
			}
			if u.bytes = c.Hull(); c.N > 1 {
				u.comb = &c
			}
			for i := range c.N {
				for b := c.Tooth(i).Lo; b < c.Tooth(i).Hi; b++ {
					x.uses[b] = true
				}
			}
			h.collect(&u, u.write, func(on *node) {
				i := numbers[on]
				common := false
				for b := range x.uses {
					common = common || x.uses[b] && tasks[i].uses[b]
				}
				if !common || !x.write && !tasks[i].write {
					t.Fatalf("seed %d: task %d waits for %d for nothing", seed, k, i)
				}
				x.after[i] = true
				for j := range tasks[i].after {
					x.after[j] = true
				}
			})
			for i, other := range tasks {
				for b := range x.uses {
					if x.uses[b] && other.uses[b] && (x.write || other.write) && other.state != completed && !x.after[i] {
						t.Fatalf("seed %d: task %d does not wait for %d, which used byte %d", seed, k, i, b)
					}
				}
			}
			if x.write {
				h.wrote(&u, x.node, uint32(k+1))
			} else {
				h.read(&u, x.node, uint32(k+1))
			}
			tasks = append(tasks, x)
		}
	}
}
