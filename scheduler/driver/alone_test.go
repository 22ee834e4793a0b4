package driver

import "testing"

// A call that is no little work runs on the thread that waits for it alone, and on a queue where that thread waits for
// something else, where there are others of its size, or where it is large.
func TestAloneOnTheThreadThatWaits(t *testing.T) {
	const some, large = 3 << 14, 1 << 19 // elements; those of a call are like 8 times as many bytes, in and out, of which some lie between SmallTask and mostAlone
	for _, c := range []struct {
		name     string
		elements int
		calls    int
		after    bool  // what is read is made of the call's result
		other    bool  // what is read is not
		settled  bool  // what is read is there
		inline   int64 // tasks: the call and two sums
	}{
		{name: "alone", elements: some, calls: 1, inline: 3},
		{name: "one behind it", elements: some, calls: 1, after: true, inline: 3},
		{name: "another is read", elements: some, calls: 1, other: true, inline: 0},
		{name: "what is there is read", elements: some, calls: 1, settled: true, inline: 0},
		{name: "two", elements: some, calls: 2, inline: 0},
		{name: "too large", elements: large, calls: 1, inline: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := callers()["cpu"]
			o.Core.MinTile = 1 << 30 // nothing is cut
			s := start(t, o)
			in := s.empty(c.elements)
			s.fill(in, 2)
			few := s.iota(4)
			if err := s.Sync(nil); err != nil {
				t.Fatal(err)
			}
			before := s.Stats().Counts[InlineTasks]
			out, sum, apart := s.empty(c.elements), s.empty(4), s.empty(4)
			for range c.calls {
				s.call(out, in)
			}
			s.add(sum, out.slice(0, 4, 1), few)
			s.add(apart, few, few)
			switch {
			case c.after:
				s.want(sum, 0.5, 1.5, 2.5, 3.5)
			case c.settled:
				s.want(few, 0, 1, 2, 3)
			case c.other:
				s.want(apart, 0, 2, 4, 6)
			default:
				s.want(out.slice(0, 4, 1), 0.5, 0.5, 0.5, 0.5)
			}
			if got := s.Stats().Counts[InlineTasks] - before; got != c.inline {
				t.Errorf("%d tasks ran on the thread that waits; want %d", got, c.inline)
			}
			if err := s.Sync(nil); err != nil {
				t.Fatal(err)
			}
			s.want(sum, 0.5, 1.5, 2.5, 3.5)
		})
	}
}
