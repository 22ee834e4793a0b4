package profiler

import (
	"cmp"
	"slices"
)

// Use is how many bytes of a memory are in use from a time on.
type Use struct{ At, Bytes int64 }

// MemoryUse adds up what was taken and given back: for each lane, in the order of time, from what it held before. Where
// that is not known, it counts from what must have been there, so that it is never below zero.
func MemoryUse(t *Trace) [][]Use {
	lanes := memoryChanges(t)
	for lane, list := range lanes {
		held := int64(0)
		if lane < len(t.Held) {
			held = t.Held[lane]
		}
		live, low := held, int64(0)
		for _, c := range list {
			live += c.Bytes
			low = min(low, live)
		}
		live = held - low
		for i := range list {
			live += list[i].Bytes
			list[i].Bytes = live
		}
	}
	return lanes
}

// Anchor says how many bytes each lane's memory holds behind the last record, by the lane's name. That tells what it
// held before the first one, also where older records are lost.
func (t *Trace) Anchor(live map[string]int64) {
	t.Held = make([]int64, len(t.Lanes))
	for lane, list := range memoryChanges(t) {
		t.Held[lane] = live[t.Lanes[lane].Name]
		for _, c := range list {
			t.Held[lane] -= c.Bytes
		}
		t.Held[lane] = max(t.Held[lane], 0) // a buffer may come or go between two looks
	}
}

// heldBefore returns what each lane's memory held when the records began that had not ended before a time.
func (t *Trace) heldBefore(start int64) []int64 {
	held := make([]int64, len(t.Lanes))
	copy(held, t.Held)
	for i := range t.Records {
		switch rec := &t.Records[i]; {
		case rec.End >= start:
		case rec.Kind == Alloc:
			held[rec.Lane] += rec.Bytes
		case rec.Kind == Free:
			held[rec.Lane] -= rec.Bytes
		}
	}
	for lane := range held {
		held[lane] = max(held[lane], 0) // older records are lost
	}
	return held
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
