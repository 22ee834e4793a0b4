package driver

import (
	"testing"

	"weft/profiler"
)

// Arrays that go while nothing else happens are given back without a look at the clock; but no more than a
// megabyte of them has the time of what happened before, however small they are.
func TestWhatIsGivenBackHasItsTime(t *testing.T) {
	for _, n := range []int{1 << 7, 1 << 13, 1 << 16, 1 << 18} { // 1 kB to 2 MB
		s := begin(t, Options{})
		var all []array
		for range max(4, 1<<19/n) { // 4 MB or more
			all = append(all, s.iota(n))
		}
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		before := s.Now()
		looks := s.Stats().Counts[Looks]
		for _, a := range all {
			s.Free(a.id)
		}
		looks = s.Stats().Counts[Looks] - looks
		early, freed := int64(0), int64(0)
		for _, rec := range s.rec.Snapshot().Records {
			if rec.Kind == profiler.Free {
				freed += rec.Bytes
				if rec.Start < before {
					early += rec.Bytes
				}
			}
		}
		if want := int64(len(all) * n * 8); freed != want || early >= largeBuffer {
			t.Errorf("%d arrays of %d bytes: %d of %d bytes were given back, %d of them before it happened", len(all), n*8, freed, want, early)
		}
		if most := 2 * freed / largeBuffer; looks > most { // of large ones, begin and end
			t.Errorf("%d arrays of %d bytes: %d looks at the clock, wanted at most %d", len(all), n*8, looks, most)
		}
	}
}
