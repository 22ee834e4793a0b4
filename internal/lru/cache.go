// Package lru remembers what was used last, up to a number of bytes or of whatever else its sizes count: what does not
// fit any more is dropped one by one, that which was not used for longest first. A loop over more things than fit loses
// those that it seldom comes to, and a program that never repeats itself drops what it made before, and nothing else.
//
//	v, ok := c.Get(key)
//	if !ok {
//		v = ...
//		c.Add(key, v, size)
//	}
//
// It must not know what it keeps. A Cache is not safe for concurrent use.
package lru

// Cache is a map that forgets. New makes one.
type Cache[K comparable, V any] struct {
	limit, size int64
	entries     map[K]*entry[K, V]
	ends        entry[K, V] // of the ring: next is what was used last, previous what was not for longest
}

// entry is in a ring by last use.
type entry[K comparable, V any] struct {
	key            K
	value          V
	size           int64
	next, previous *entry[K, V]
}

// New returns a cache of entries whose sizes add up to the limit at most.
func New[K comparable, V any](limit int64) *Cache[K, V] {
	c := &Cache[K, V]{limit: limit, entries: map[K]*entry[K, V]{}}
	c.ends.next, c.ends.previous = &c.ends, &c.ends
	return c
}

// Get returns what is kept for a key, which is the last to be dropped from now on.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) { return c.use(c.entries[key]) }

// GetBytes is Get for a key that is built in bytes, of which it makes no string.
func GetBytes[V any](c *Cache[string, V], key []byte) (value V, ok bool) {
	return c.use(c.entries[string(key)])
}

func (c *Cache[K, V]) use(e *entry[K, V]) (value V, ok bool) {
	if e == nil {
		return value, false
	}
	if c.ends.next != e {
		e.unlink()
		c.link(e)
	}
	return e.value, true
}

// Add keeps a value for a key that has none, and drops what does not fit beside it. A value that is larger than the
// limit is not kept.
func (c *Cache[K, V]) Add(key K, value V, size int64) {
	if size > c.limit {
		return
	}
	c.shrink(c.limit - size)
	e := &entry[K, V]{key: key, value: value, size: size}
	c.entries[key] = e
	c.size += size
	c.link(e)
}

// Limit sets another limit, and drops what does not fit any more.
func (c *Cache[K, V]) Limit(limit int64) {
	c.limit = limit
	c.shrink(limit)
}

// shrink drops the oldest entries until the others have so much at most.
func (c *Cache[K, V]) shrink(most int64) {
	for c.size > most {
		old := c.ends.previous
		old.unlink()
		delete(c.entries, old.key)
		c.size -= old.size
	}
}

// Len returns how many entries are kept, and Size the sum of their sizes.
func (c *Cache[K, V]) Len() int    { return len(c.entries) }
func (c *Cache[K, V]) Size() int64 { return c.size }

func (c *Cache[K, V]) link(e *entry[K, V]) {
	e.previous, e.next = &c.ends, c.ends.next
	e.previous.next, e.next.previous = e, e
}

func (e *entry[K, V]) unlink() { e.previous.next, e.next.previous = e.next, e.previous }
