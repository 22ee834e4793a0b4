package flags

// nearest returns the known name that a slip of the fingers leads to name from; "" when
// none is near.
func nearest(name string) string {
	best, least := "", len(name)/2+1
	for i := range table {
		if d := distance(name, table[i].name); d < least {
			best, least = table[i].name, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with their
// neighbour to make b of a.
func distance(a, b string) int {
	// row[k][j] is the distance of a[:i-k] and b[:j].
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
