package driver

import (
	"weft/scheduler"
	"weft/scheduler/verify"
)

// hostLog is a ring of the newest accesses of the host. It grows up to its length. A loop that reads a number each time
// fills it, and the collector would look through it each time if its rows had pointers.
//
// The row of access n, counted from 1, is (n-1) modulo loggedHosts: the ring needs no head.
type hostLog struct {
	rows []hostRow
	all  int // how many there were
}

// hostRow is a verify.HostAccess.
type hostRow struct {
	instance scheduler.InstanceID
	store    scheduler.StoreID
	memory   scheduler.MemoryID
	from, to int64 // the instance's bytes
	lo, hi   int64
	at       int64
	after    scheduler.TaskID
	write    bool
}

// add returns the row for one more access.
func (l *hostLog) add() *hostRow {
	if len(l.rows) < loggedHosts {
		l.rows = append(l.rows, hostRow{})
	}
	l.all++
	return &l.rows[(l.all-1)%loggedHosts]
}

// full reports whether accesses were dropped.
func (l *hostLog) full() bool { return l.all > loggedHosts }

// list returns the accesses that are left, in order.
func (l *hostLog) list() []verify.HostAccess {
	list := make([]verify.HostAccess, 0, len(l.rows))
	for i := l.all - len(l.rows); i < l.all; i++ {
		row := &l.rows[i%loggedHosts]
		list = append(list, verify.HostAccess{
			Instance: scheduler.Instance{ID: row.instance, Store: row.store, Memory: row.memory, Lo: row.from, Hi: row.to},
			Lo:       row.lo, Hi: row.hi, Write: row.write, At: row.at, After: row.after,
		})
	}
	return list
}
