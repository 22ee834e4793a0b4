package workspace

import "sync/atomic"

// Counter counts what the program did natively, by row of a table of names. Any goroutine may read it.
type Counter struct {
	names []string
	n     []atomic.Int64
}

// NewCounter returns a counter of rows that are called so, as NumPy does; several rows may share a name.
func NewCounter(names []string) *Counter { return &Counter{names, make([]atomic.Int64, len(names))} }

// Add counts n more of a row.
func (c *Counter) Add(row int, n int64) { c.n[row].Add(n) }

// CountBy gives the Workspace the counters that it reports. It is called before there is a machine to ask about.
func (s *Workspace) CountBy(counters ...*Counter) { s.counters = counters }

// counts are the calls that ran natively, by NumPy's name of the function or operator.
func (s *Workspace) counts() map[string]int64 {
	all := map[string]int64{}
	for _, c := range s.counters {
		for i, name := range c.names {
			if n := c.n[i].Load(); n > 0 {
				all[name] += n
			}
		}
	}
	return all
}
