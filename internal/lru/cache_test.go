package lru

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowCache is what a cache should be: a list, by last use.
type slowCache struct {
	most int64
	list []slowEntry
}

type slowEntry struct {
	key, value int
	bytes      int64
}

func (s *slowCache) get(key int) (value int, ok bool) {
	i := slices.IndexFunc(s.list, func(e slowEntry) bool { return e.key == key })
	if i < 0 {
		return 0, false
	}
	e := s.list[i]
	s.list = append([]slowEntry{e}, slices.Delete(s.list, i, i+1)...)
	return e.value, true
}

func (s *slowCache) add(e slowEntry) {
	if e.bytes > s.most {
		return
	}
	s.list = append([]slowEntry{e}, s.list...)
	for s.bytes() > s.most {
		s.list = s.list[:len(s.list)-1]
	}
}

func (s *slowCache) limit(most int64) {
	s.most = most
	for s.bytes() > most {
		s.list = s.list[:len(s.list)-1]
	}
}

func (s *slowCache) bytes() (sum int64) {
	for _, e := range s.list {
		sum += e.bytes
	}
	return sum
}

func TestCacheDropsWhatWasNotUsedForLongest(t *testing.T) {
	hits, dropped := 0, 0
	for sd := range uint64(50) {
		r := rand.New(rand.NewPCG(sd, 1))
		most := 1 + r.Int64N(300)
		fast, slow := New[int, int](most), &slowCache{most: most}
		for step := range 500 {
			key := int(r.ExpFloat64() * 10)
			want, known := slow.get(key)
			got, ok := fast.Get(key)
			if ok != known {
				t.Fatalf("seed %d, step %d: key %d is kept: %v, wanted %v", sd, step, key, ok, known)
			}
			if known {
				hits++
				if got != want {
					t.Fatalf("seed %d, step %d: key %d has %d, wanted %d", sd, step, key, got, want)
				}
				continue
			}
			if r.IntN(50) == 0 {
				most = 1 + r.Int64N(300)
				fast.Limit(most)
				slow.limit(most)
			}
			bytes := r.Int64N(40)
			before := len(slow.list)
			fast.Add(key, step, bytes)
			slow.add(slowEntry{key, step, bytes})
			if len(slow.list) <= before {
				dropped++
			}
			if fast.Size() != slow.bytes() || fast.Len() != len(slow.list) {
				t.Fatalf("seed %d, step %d: %d entries of %d bytes, wanted %d of %d", sd, step, fast.Len(), fast.Size(), len(slow.list), slow.bytes())
			}
		}
	}
	if hits < 1000 || dropped < 1000 {
		t.Errorf("%d hits, %d times something was dropped: the test shows nothing", hits, dropped)
	}
}
