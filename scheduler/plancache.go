package scheduler

// cache keeps what was used last, up to a number of bytes: what does not fit any more is dropped one by one, that
// which was not used for longest first. A loop over more windows than fit loses those that it seldom comes to, and
// a program that never repeats itself drops what it made before, and nothing else.
//
//	if e := c.at[key]; e != nil {
//		return c.use(e)
//	}
//	c.add(key, made, bytes)
type cache[K comparable, V any] struct {
	most, bytes int64
	at          map[K]*cached[K, V]
	ends        cached[K, V] // of the ring: next is what was used last, previous what was not for longest
}

// cached is an entry of a cache, in a ring by last use.
type cached[K comparable, V any] struct {
	key            K
	value          V
	bytes          int64
	next, previous *cached[K, V]
}

// newCache returns a cache of at most so many bytes.
func newCache[K comparable, V any](most int64) *cache[K, V] {
	c := &cache[K, V]{most: most, at: map[K]*cached[K, V]{}}
	c.ends.next, c.ends.previous = &c.ends, &c.ends
	return c
}

// use returns the value of an entry, which is the last to be dropped from now on.
func (c *cache[K, V]) use(e *cached[K, V]) V {
	if c.ends.next != e {
		e.unlink()
		c.link(e)
	}
	return e.value
}

// add keeps a value for a key that has none, and drops what does not fit beside it. A value that is larger than the cache is
// not kept.
func (c *cache[K, V]) add(key K, value V, bytes int64) {
	if bytes > c.most {
		return
	}
	for c.bytes+bytes > c.most {
		old := c.ends.previous
		old.unlink()
		delete(c.at, old.key)
		c.bytes -= old.bytes
	}
	e := &cached[K, V]{key: key, value: value, bytes: bytes}
	c.at[key] = e
	c.bytes += bytes
	c.link(e)
}

func (c *cache[K, V]) link(e *cached[K, V]) {
	e.previous, e.next = &c.ends, c.ends.next
	e.previous.next, e.next.previous = e, e
}

func (e *cached[K, V]) unlink() { e.previous.next, e.next.previous = e.next, e.previous }
