package detail

import (
	"slices"

	"weft/profiler"
)

// chunkRows is how many records a chunk holds, the unit of summaries and of what is thinned or dropped.
const (
	chunkBits = 12
	chunkRows = 1 << chunkBits
)

// chunk has records, and their sums.
type chunk struct {
	records []profiler.Record
	groups  []uint32 // of each record
	kept    []uint16 // of a thin chunk: which of the records that it had these are
	thin    bool
	sum     summary // of all that it had
}

// number is the place of the record at i among those that the chunk had.
func (c *chunk) number(i int) uint32 {
	if c.thin {
		return uint32(c.kept[i])
	}
	return uint32(i)
}

// place finds a record by its number.
func (c *chunk) place(number uint32) (i int, found bool) {
	if c.thin {
		return slices.BinarySearch(c.kept, uint16(number))
	}
	return int(number), int(number) < len(c.records)
}

// rows are a lane's records in the order of their arrival. A copy of the value stays as it is while the lane goes on,
// but for the sums of the last chunk: records are only ever added behind its end, and a thin chunk gets new slices.
type rows struct {
	chunks []chunk
	first  uint32 // number of the first record of chunks[0]
	next   uint32 // number of the next record
}

// find returns a record by its number in the lane, and its group; nil if it is not there.
func (l *rows) find(ref uint32) (*profiler.Record, uint32) {
	if ref < l.first || ref >= l.next {
		return nil, 0
	}
	c := &l.chunks[(ref-l.first)>>chunkBits]
	i, found := c.place((ref - l.first) & (chunkRows - 1))
	if !found {
		return nil, 0
	}
	return &c.records[i], c.groups[i]
}

// record returns a record that is there.
func (l *rows) record(ref uint32) *profiler.Record {
	c, i := l.at(ref)
	return &c.records[i]
}

// group returns the group of a record that is there.
func (l *rows) group(ref uint32) uint32 {
	c, i := l.at(ref)
	return c.groups[i]
}

func (l *rows) at(ref uint32) (c *chunk, i int) {
	number := ref - l.first
	c = &l.chunks[number>>chunkBits]
	if number &= chunkRows - 1; !c.thin {
		return c, int(number)
	}
	i, _ = c.place(number)
	return c, i
}

// ref is the number in the lane of record i of chunk k.
func (l *rows) ref(k, i int) uint32 {
	return l.first + uint32(k)<<chunkBits + l.chunks[k].number(i)
}
