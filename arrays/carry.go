package arrays

import (
	"errors"
	"fmt"
	"unsafe"

	"weft/internal/units"
	"weft/scheduler"
)

// Carry moves a context and all its arrays that are alive to another runtime: the values are
// waited for, read to the host and written there. What the program has lent is lent to the other one. The arrays stay
// views of each other included; those whose work failed or was cancelled go on saying so. After an error nothing has
// changed.
func (c *Context) Carry(to Runtime, live []*Array, stop <-chan struct{}) (err error) {
	c.collect()
	moved := map[*store]scheduler.StoreID{}
	lost := map[*store]error{}
	defer func() {
		if err != nil {
			for _, id := range moved {
				to.Free(id)
			}
		}
	}()
	for _, a := range live {
		if a.store == nil {
			continue
		}
		if _, done := moved[a.store]; done {
			continue
		}
		p, release, err := c.rt.Map(a.store.whole(), false, stop)
		if errors.Is(err, ErrInterrupted) {
			return err
		}
		id := to.NewStore(a.store.bytes)
		moved[a.store] = id
		if err != nil {
			lost[a.store] = err
			continue
		}
		if l := a.store.lent; l != nil {
			l.users.Add(1) // until the old runtime lets go of it
			err := l.lend(to, id, l.give)
			if err != nil {
				l.give()
			}
			if err == nil || !l.away {
				release()
				lost[a.store] = err
				continue
			}
			a.store.lent = nil // what another library shares with a GPU that is no longer there is the host's from now on
		}
		err = to.Write(id, unsafe.Slice((*byte)(p), a.store.bytes))
		release()
		if err != nil {
			return fmt.Errorf("carrying an array of shape %s over: %w", units.Shape(a.view.Shape), err)
		}
	}
	kept := bytewise{}
	for s, id := range moved {
		c.rt.Free(s.id)
		if odd, seen := c.bytewise[s.id]; seen {
			delete(c.bytewise, s.id)
			kept[id] = odd
		}
		s.id = id
		if err := lost[s]; err != nil && s.lost == nil {
			s.lost = err
		}
		if s.watched { // the collector knows the old name
			s.cleanup.Stop()
			c.watch(s)
		}
	}
	for _, a := range live {
		if a.store != nil {
			a.view.Store = a.store.id
		}
	}
	c.rt = to
	clear(c.known) // by the old names
	c.bytewise = kept
	return nil
}
