package core

// page is the rows of 256 neighbouring IDs.
type page[T any] struct {
	rows [256]*T
	live int
}

// table finds things by IDs that count up from 1. Pages of dead IDs are used again, so that
// it stays as small as what is alive, and a lookup is two loads.
//
// IDs come in ascending order and die roughly in that order, so that what is alive lies on few pages. A map would
// iterate in another order each time.
//
//	pages  nil nil [...] nil [...] [last]      id>>8 is the page, id&255 the row
type table[T any] struct {
	pages []*page[T]
	spare *page[T] // empty, or nil
}

func (t *table[T]) get(id uint32) *T {
	if p := int(id >> 8); p < len(t.pages) && t.pages[p] != nil {
		return t.pages[p].rows[id&255]
	}
	return nil
}

// put adds a row; IDs arrive in ascending order.
func (t *table[T]) put(id uint32, row *T) {
	if last := len(t.pages) - 1; int(id>>8) > last {
		if last >= 0 {
			t.sweep(last) // as the last one it was kept
		}
		for int(id>>8) >= len(t.pages) {
			t.pages = append(t.pages, nil)
		}
	}
	p := t.pages[id>>8]
	if p == nil {
		if p = t.spare; p == nil {
			p = new(page[T])
		}
		t.pages[id>>8], t.spare = p, nil
	}
	p.rows[id&255] = row
	p.live++
}

func (t *table[T]) remove(id uint32) {
	p := t.pages[id>>8]
	p.rows[id&255] = nil
	p.live--
	if int(id>>8) < len(t.pages)-1 {
		t.sweep(int(id >> 8))
	}
}

// sweep takes a page away if nothing on it is alive.
func (t *table[T]) sweep(at int) {
	if p := t.pages[at]; p != nil && p.live == 0 {
		t.pages[at], t.spare = nil, p
	}
}

// each calls fn for every row in ascending order of IDs.
func (t *table[T]) each(fn func(row *T)) {
	for _, p := range t.pages {
		if p == nil {
			continue
		}
		for _, row := range p.rows {
			if row != nil {
				fn(row)
			}
		}
	}
}
