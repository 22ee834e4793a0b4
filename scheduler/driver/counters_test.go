package driver

import "testing"

func TestEveryCounterHasARow(t *testing.T) {
	seen := map[string]bool{}
	for i, row := range Counters() {
		if row.Name == "" || row.Unit == "" || row.Doc == "" || seen[row.Name] {
			t.Errorf("counter %d: the row %+v lacks something or repeats a name; see counterRows", i, row)
		}
		seen[row.Name] = true
	}
}

func TestMemoryFigures(t *testing.T) {
	s := benchSession(t, 1)
	a := s.empty(1 << 18)
	s.fill(a, 1)
	s.Free(a.id)
	b := s.empty(1 << 17)
	s.fill(b, 1)
	if err := s.Sync(nil); err != nil {
		t.Fatal(err)
	}
	m := s.Stats().Memories[0]
	if m.Live != 1<<20 || m.Peak != 2<<20 || m.Buffers != 1 {
		t.Errorf("%d bytes live in %d buffers and %d at most, wanted 1 MiB in one and 2 MiB: %+v", m.Live, m.Buffers, m.Peak, m)
	}
	if m.Mapped < 3<<20 || m.Idle < 2<<20 || m.Mapped-m.Idle < m.Live {
		t.Errorf("the pool says %d mapped and %d idle, wanted both blocks mapped and the larger idle", m.Mapped, m.Idle)
	}
	if f := m.Fragmentation(); f < 0.5 || f >= 1 {
		t.Errorf("fragmentation is %v with one of three MiB in use", f)
	}
	if f := (MemoryStats{Live: 7}).Fragmentation(); f != 0 {
		t.Errorf("fragmentation is %v where no device says what is mapped", f)
	}
}
