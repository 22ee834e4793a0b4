package detail

import (
	"math/bits"
	"sort"

	"weft/profiler"
)

// The widths of buckets: 4.096 us for level 0, four times as much for each further one.
const (
	baseBits  = 12
	maxLevels = 21
	classes   = maxLevels + 1 // times are less than 2^53 ns
	// fewBuckets is how many buckets of the coarsest level the whole trace is allowed to have. More would make
	// views of all of it slower, fewer would be levels that nothing needs.
	fewBuckets = 2048
)

// width returns how long a bucket of a level is.
func width(level int) int64 { return 1 << (baseBits + 2*level) }

// classOf returns the class of a span's length.
func classOf(ns int64) int {
	n := bits.Len64(uint64(ns))
	if n <= baseBits {
		return 0
	}
	return (n-baseBits-1)/2 + 1
}

// levelsFor returns how many levels a trace of some length needs.
func levelsFor(ns int64) int {
	levels := 1
	for levels < maxLevels && ns/width(levels-1) > fewBuckets {
		levels++
	}
	return levels
}

// bucket adds up the short spans of a stretch of time.
type bucket struct {
	key   int64   // start divided by the level's width
	busy  float32 // nanoseconds, exact enough for what is less than a pixel
	count uint32  // spans that start here
	ref   uint32  // the longest one
	group uint32  // and its group, so that drawing does not look the record up
}

// track is a row of a lane: spans that do not overlap, in the order of time.
type track struct {
	end     int64 // of the last span
	version uint64
	lists   [classes][]uint32 // numbers of the records of each class
	levels  [][]bucket
	longest [maxLevels]int64 // length of the span that the last bucket of each level refers to

	// Before thinEnd the levels below thinLevel are not complete, and the spans of its class and of shorter ones are
	// gone.
	thinEnd   int64
	thinLevel int
}

// add appends a span to its class and to the buckets of the levels that gather its class.
func (t *track) add(l *rows, ref uint32, rec *profiler.Record, levels int) {
	length := rec.End - rec.Start
	class := classOf(length)
	for len(t.levels) < levels {
		t.grow(l)
	}
	t.lists[class] = append(t.lists[class], ref)
	t.end = rec.End
	for level := class; level < len(t.levels); level++ {
		t.gather(l, level, ref, rec.Start, rec.End)
	}
}

// gather adds a span to a level. A span that crosses into the next bucket counts where it starts, and is busy in both.
func (t *track) gather(l *rows, level int, ref uint32, start, end int64) {
	shift := baseBits + 2*level
	key := start >> shift
	border := min(end, (key+1)<<shift)
	b := t.bucket(level, key, ref)
	b.count++
	b.busy += float32(border - start)
	t.prefer(l, level, b, ref, end-start)
	if border < end {
		b = t.bucket(level, key+1, ref)
		b.busy += float32(end - border)
		t.prefer(l, level, b, ref, end-start)
	}
}

// bucket returns the bucket of a key that is that of the last bucket, or a later one.
func (t *track) bucket(level int, key int64, ref uint32) *bucket {
	rows := t.levels[level]
	if n := len(rows); n > 0 && rows[n-1].key >= key {
		return &rows[n-1]
	}
	t.levels[level] = append(rows, bucket{key: key, ref: ref})
	t.longest[level] = -1
	return &t.levels[level][len(rows)]
}

func (t *track) prefer(l *rows, level int, b *bucket, ref uint32, length int64) {
	if length > t.longest[level] {
		b.ref, b.group, t.longest[level] = ref, l.group(ref), length
	}
}

// grow builds one more level out of the buckets of the one below and the spans of its own class.
func (t *track) grow(l *rows) {
	level := len(t.levels)
	t.levels = append(t.levels, nil)
	var below []bucket
	if level > 0 {
		below = t.levels[level-1]
	}
	shift := baseBits + 2*(level-1)
	for _, ref := range t.lists[level] {
		rec := l.record(ref)
		for len(below) > 0 && below[0].key<<shift <= rec.Start {
			t.raise(l, level, &below[0])
			below = below[1:]
		}
		t.gather(l, level, ref, rec.Start, rec.End)
	}
	for i := range below {
		t.raise(l, level, &below[i])
	}
}

// raise adds a bucket to that of the next level which encloses it.
func (t *track) raise(l *rows, level int, from *bucket) {
	b := t.bucket(level, from.key>>2, from.ref)
	b.busy += from.busy
	b.count += from.count
	length := int64(from.busy) // about, if the record is gone
	if rec, _ := l.find(from.ref); rec != nil {
		length = rec.End - rec.Start
	}
	if length > t.longest[level] {
		b.ref, b.group, t.longest[level] = from.ref, from.group, length
	}
}

// dropBefore forgets the records before a number.
func (t *track) dropBefore(first uint32) {
	for class, refs := range t.lists {
		t.lists[class] = refs[sort.Search(len(refs), func(i int) bool { return refs[i] >= first }):]
	}
	for level := range t.levels {
		t.dropBuckets(level, first)
	}
}

// dropBuckets forgets the buckets of a level that refer to records before a number.
func (t *track) dropBuckets(level int, first uint32) {
	rows := t.levels[level]
	at := 0
	for at < len(rows) && rows[at].ref < first {
		at++
	}
	t.levels[level] = rows[at:]
}
