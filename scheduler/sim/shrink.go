package sim

import (
	"errors"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// errMalformed is why a stream is no program: it shows nothing that it fails.
var errMalformed = errors.New("the stream is malformed")

// failure is a stream that fails, and on what.
type failure struct {
	seed   uint64
	stream scheduler.Stream
	cfg    Config
	err    error
}

// shrinker makes a failure smaller as long as it stays one.
type shrinker struct {
	failure
	left int // runs that it may still try
}

// tries is with how many seeds a smaller stream may fail: what chance draws moves with every step.
const tries = 4

// Shrink returns a failure as small as it finds within so many runs: fewer devices, fewer steps,
// smaller shapes and stores. The result is no less a program than the one before: it reads only
// what it has written.
func (f failure) shrink(runs int) failure {
	s := &shrinker{f, runs}
	for again := true; again && s.left > 0; {
		again = s.fewerDevices()
		again = s.fewerSteps() || again
		again = s.smallerShapes() || again
		again = s.smallerStores() || again
	}
	return s.failure
}

// try runs a candidate and keeps it if it fails.
func (s *shrinker) try(stream scheduler.Stream, cfg Config) bool {
	stream, ok := wellFormed(stream)
	if !ok {
		return false
	}
	for n := uint64(0); n < tries && s.left > 0; n++ {
		s.left--
		if err := Run(s.seed+n, stream, cfg); err != nil && !errors.Is(err, errMalformed) {
			s.failure = failure{s.seed + n, stream, cfg, err}
			return true
		}
	}
	return false
}

// fewerDevices tries simpler machines and options.
func (s *shrinker) fewerDevices() (smaller bool) {
	for _, k := range configKeys {
		for _, to := range k.simpler(k.get(&s.cfg)) {
			cfg := s.cfg
			k.set(&cfg, to)
			if s.try(s.stream, cfg) {
				smaller = true
				break
			}
		}
	}
	return smaller
}

// fewerSteps leaves out pieces of the stream, half of it first, single steps last.
func (s *shrinker) fewerSteps() (smaller bool) {
	for size := len(s.stream) / 2; size > 0; size /= 2 {
		for at := 0; at < len(s.stream) && s.left > 0; {
			end := min(at+size, len(s.stream))
			if s.try(slices.Concat(s.stream[:at], s.stream[end:]), s.cfg) {
				smaller = true
			} else {
				at = end
			}
		}
	}
	return smaller
}

// smallerShapes makes the index spaces of ops smaller, one axis after the other.
func (s *shrinker) smallerShapes() (smaller bool) {
	for at := 0; at < len(s.stream); at++ {
		op := s.stream[at].Op
		if op == nil || op.Kind == scheduler.Call {
			continue
		}
		for axis := range op.Shape {
			for n := op.Shape[axis]; n > 1 && s.left > 0; {
				to := n / 2
				if !s.tryShape(at, axis, to) {
					if to = n - 1; !s.tryShape(at, axis, to) {
						break
					}
				}
				n, smaller = to, true
			}
		}
	}
	return smaller
}

func (s *shrinker) tryShape(at, axis, n int) bool {
	stream := slices.Clone(s.stream)
	op := *stream[at].Op
	op.Shape = slices.Clone(op.Shape)
	op.Shape[axis] = n
	op.Uses = slices.Clone(op.Uses)
	for i := range op.Uses {
		if op.Whole(i) {
			continue
		}
		v := &op.Uses[i].View
		v.Shape = slices.Clone(op.Shape)
		if op.Reduced != 0 && op.Uses[i].Access == scheduler.Write {
			v.Shape = tile.GridShape(op.Shape, tile.BlockShape(op.Shape, op.Reduced))
		}
	}
	stream[at].Op = &op
	return s.try(stream, s.cfg)
}

// smallerStores cuts off what no view reaches, and lets the host read and write less.
func (s *shrinker) smallerStores() (smaller bool) {
	ends := map[scheduler.StoreID]int64{}
	for _, step := range s.stream {
		if step.Op == nil {
			continue
		}
		for _, u := range step.Op.Uses {
			set := bytesOf(u.View)
			if parts := set.Intervals(); len(parts) > 0 {
				ends[u.View.Store] = max(ends[u.View.Store], parts[len(parts)-1].Hi)
			}
		}
	}
	for i := range s.stream {
		step := s.stream[i]
		if step.Verb != "store" || ends[step.Store] == 0 || ends[step.Store] >= step.Bytes {
			continue
		}
		stream := slices.Clone(s.stream)
		stream[i].Bytes = ends[step.Store]
		for k := range stream {
			if stream[k].Store == step.Store && (stream[k].Verb == "read" || stream[k].Verb == "claim") {
				stream[k].Hi = min(stream[k].Hi, stream[i].Bytes)
				stream[k].Lo = min(stream[k].Lo, stream[k].Hi-1)
			}
		}
		smaller = s.try(stream, s.cfg) || smaller
	}
	return smaller
}

// wellFormed leaves out the steps on stores that are not there, and numbers stores and ops again. It
// is false for a stream that reads bytes that it has not written.
func wellFormed(stream scheduler.Stream) (scheduler.Stream, bool) {
	type known struct {
		id      scheduler.StoreID
		written region.Set
	}
	alive := map[scheduler.StoreID]*known{}
	var out scheduler.Stream
	stores, ops := scheduler.StoreID(0), scheduler.OpID(0)
	for _, step := range stream {
		st := alive[step.Store]
		switch step.Verb {
		case "store":
			stores++
			alive[step.Store] = &known{id: stores}
			step.Store = stores
		case "op":
			op := *step.Op
			op.Uses = slices.Clone(op.Uses)
			if slices.ContainsFunc(op.Uses, func(u scheduler.Use) bool { return alive[u.View.Store] == nil }) {
				continue
			}
			for _, u := range op.Uses {
				set := bytesOf(u.View)
				if u.Access.Reads() && !covers(&alive[u.View.Store].written, &set) {
					return nil, false
				}
			}
			for i := range op.Uses {
				v := &op.Uses[i].View
				to := alive[v.Store]
				if op.Uses[i].Access.Writes() {
					set := bytesOf(*v)
					to.written.Union(&set)
				}
				v.Store = to.id
			}
			ops++
			op.ID = ops
			step.Op = &op
		case "flush":
		default:
			if st == nil {
				continue
			}
			whole := region.Of(region.Interval{Lo: step.Lo, Hi: step.Hi})
			switch step.Verb {
			case "host":
				if !st.written.Empty() { // it would not be fresh
					return nil, false
				}
				st.written.Add(region.Interval{Lo: 0, Hi: 1 << 40})
			case "release":
				delete(alive, step.Store)
			default:
				if !covers(&st.written, &whole) {
					return nil, false
				}
			}
			step.Store = st.id
		}
		out = append(out, step)
	}
	return out, true
}

// bytesOf returns the bytes of a view's elements.
func bytesOf(v scheduler.View) region.Set {
	var set region.Set
	for k := range v.Elements() {
		at := v.Offset
		for axis, rest := len(v.Shape)-1, k; axis >= 0; axis-- {
			at += int64(rest%v.Shape[axis]) * v.Strides[axis]
			rest /= v.Shape[axis]
		}
		set.Add(region.Interval{Lo: at, Hi: at + int64(v.Type.Size())})
	}
	return set
}

func covers(a, b *region.Set) bool {
	for _, part := range b.Intervals() {
		if !a.Covers(part) {
			return false
		}
	}
	return true
}
