package arrays

import (
	"weft/scheduler"
	"weft/tile"
)

// Adopt returns an array of bytes over memory of another library's, which is not copied: what the library writes there
// is seen, and what ops write is there when the call that submits them returns. adopt has a runtime take the memory for
// a store. back is called as Lend's is.
func (c *Context) Adopt(bytes int64, adopt func(rt Runtime, id scheduler.StoreID, back func()) error, back func()) (*Array, error) {
	return c.borrow(bytes, &loan{back: back, lend: adopt, away: true})
}

// borrow returns an array of bytes over memory that is not the runtime's.
func (c *Context) borrow(bytes int64, l *loan) (*Array, error) {
	c.collect()
	a, err := c.alloc(tile.Uint8, []int{int(bytes)}, nil)
	if err != nil {
		l.back()
		return nil, err
	}
	l.users.Add(1)
	if err := l.lend(c.rt, a.view.Store, l.give); err != nil {
		a.Free()
		l.back()
		return nil, err
	}
	a.store.lent = l
	a.store.onDevice = l.away
	a.store.exported.Add(1) // for ever: nothing is known about its elements
	return a, nil
}

// Expose gives another library the memory of the array's store, which expose has a runtime do, until release.
func (a *Array) Expose(expose func(scheduler.StoreID) (release func(), err error)) (release func(), err error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	a.c.collect()
	s := a.store // which others may take from the array during the wait
	release, err = expose(s.id)
	if err != nil {
		return nil, err
	}
	return s.export(release), nil
}

// OnDevice reports whether the program wants the array's memory, and that of its views, to be a GPU's to other
// libraries.
func (a *Array) OnDevice() bool { return a.store != nil && a.store.onDevice }

// SetOnDevice says that it does.
func (a *Array) SetOnDevice() {
	if a.store != nil {
		a.store.onDevice = true
	}
}
