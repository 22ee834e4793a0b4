package profiler

import (
	"cmp"
	"slices"
)

// Use is how many bytes of a memory are in use from a time on.
type Use struct{ At, Bytes int64 }

// MemoryUse adds up what was taken and given back: for each lane, in the order of time. Where older records are
// lost, it counts from what must have been there, so that it is never below zero.
func MemoryUse(t *Trace) [][]Use {
	lanes := memoryChanges(t)
	for _, list := range lanes {
		live, low := int64(0), int64(0)
		for _, c := range list {
			live += c.Bytes
			low = min(low, live)
		}
		live = -low
		for i := range list {
			live += list[i].Bytes
			list[i].Bytes = live
		}
	}
	return lanes
}

// memoryChanges returns for each lane what was taken, and less than zero what was given back, in the order of time. At
// one time what is taken comes before what is given back.
func memoryChanges(t *Trace) [][]Use {
	changes := make([][]Use, len(t.Lanes))
	for i := range t.Records {
		switch rec := &t.Records[i]; rec.Kind {
		case Alloc:
			changes[rec.Lane] = append(changes[rec.Lane], Use{rec.Start, rec.Bytes})
		case Free:
			changes[rec.Lane] = append(changes[rec.Lane], Use{rec.End, -rec.Bytes})
		}
	}
	for _, list := range changes {
		slices.SortStableFunc(list, func(a, b Use) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Bytes, a.Bytes)) })
	}
	return changes
}
