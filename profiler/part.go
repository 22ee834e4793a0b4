package profiler

import (
	"fmt"
	"math"
)

// Part is a span of a profile, in nanoseconds from its first start, as viewers show them. The zero Part is all of it.
type Part struct {
	From, To int64 // To 0 is the end
}

// MostOfPart is how many records a part may have. With what belongs to them they take some two gigabytes, and no
// program that opens exports takes more.
const MostOfPart = 1 << 24

// ReadPart reads the records of a file that lie in a part of it, in whole or to some extent, and what they name. It
// takes no more memory for a longer file. Of a part with more than most records it reads nothing.
func ReadPart(path string, part Part, most int) (*Trace, error) {
	t, err := ReadTables(path)
	if err != nil {
		return nil, err
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if part != (Part{}) {
		start, err := firstStart(path)
		if err != nil {
			return nil, err
		}
		from = start + part.From
		if part.To > 0 {
			to = start + part.To
		}
	}
	tasks, count, err := t.readRecords(path, from, to, most)
	if err != nil {
		return nil, err
	}
	if count > most {
		return nil, fmt.Errorf("%s: %d records lie in the part that is wanted, at most %d can be read together; want a shorter one, such as --from 10s --to 10.5s", path, count, most)
	}
	if err := t.readTasks(path, tasks); err != nil {
		return nil, err
	}
	t.finish()
	return t, t.Check()
}

// firstStart returns when the first of a file's records began.
func firstStart(path string) (int64, error) {
	first := int64(math.MaxInt64)
	_, err := readPieces(path, func(tag string) bool { return long(tag) && tag != tagRecords || tag == tagTexts }, func(inc *Increment) error {
		for i := range inc.Records {
			first = min(first, inc.Records[i].Start)
		}
		return nil
	})
	return first, err
}

// readRecords adds the records of a span of time, with their ops, and returns the set of their tasks and how many there
// are, even where these are too many.
func (t *Trace) readRecords(path string, from, to int64, most int) (tasks idSet, count int, err error) {
	var ops recentOps
	_, err = readPieces(path, func(tag string) bool { return tag == tagTasks || tag == tagTexts }, func(inc *Increment) error {
		ops.add(inc.Ops)
		old := len(t.Records)
		for _, rec := range inc.Records {
			if rec.Start >= to || rec.End < from {
				continue
			}
			if count++; count <= most {
				t.Records = append(t.Records, rec)
				tasks.add(rec.Task)
			}
		}
		t.Ops = append(t.Ops, ops.of(t.Records[old:])...)
		return nil
	})
	return tasks, count, err
}

// readTasks adds the rows of some tasks.
func (t *Trace) readTasks(path string, wanted idSet) error {
	_, err := readPieces(path, func(tag string) bool { return long(tag) && tag != tagTasks || tag == tagTexts }, func(inc *Increment) error {
		for i := range inc.Tasks {
			if wanted.has(inc.Tasks[i].ID) {
				t.Tasks = append(t.Tasks, inc.Tasks[i])
			}
		}
		return nil
	})
	return err
}

// idSet is a set of numbers that lie close to each other, as IDs of one time do: a page of bits for each 65,536 of
// them.
type idSet map[uint16]*[1 << 10]uint64

func (s *idSet) add(id uint32) {
	if *s == nil {
		*s = idSet{}
	}
	page := (*s)[uint16(id>>16)]
	if page == nil {
		page = new([1 << 10]uint64)
		(*s)[uint16(id>>16)] = page
	}
	page[id&0xffff>>6] |= 1 << (id & 63)
}

func (s idSet) has(id uint32) bool {
	page := s[uint16(id>>16)]
	return page != nil && page[id&0xffff>>6]>>(id&63)&1 == 1
}
