package cuda

import "testing"

// TestOrderForgets has work whose event could not be recorded among others: nothing of it stays behind.
func TestOrderForgets(t *testing.T) {
	var o order
	o.moved.L = &o.mu
	for seq := uint64(1); seq <= 5; seq++ {
		o.give(seq, nil)
	}
	if !o.has(5) || o.has(6) || o.done(1) {
		t.Error("numbers 1 to 5 are given, none has ended")
	}
	o.leave(3) // 1 and 2 had no event, and left no other way
	if len(o.events) != 2 || o.events[0].seq != 4 {
		t.Errorf("%d numbers are kept after 3 left; want 4 and 5", len(o.events))
	}
}

// TestOrderTellsEnds asks for ends near and far back: an old one is told as a later one's, never as an earlier one's.
func TestOrderTellsEnds(t *testing.T) {
	var o order
	o.moved.L = &o.mu
	const n = 3*historyN + 7
	for seq := uint64(1); seq <= n; seq++ {
		o.end(seq, int64(10*seq))
	}
	for _, seq := range []uint64{n, n - 1, n - historyN + 1} {
		if at := o.over(seq); at != int64(10*seq) {
			t.Errorf("number %d ended at %d; want %d", seq, at, 10*seq)
		}
	}
	if at := o.over(1); at < 10 {
		t.Errorf("number 1 ended at %d, before it did", at)
	}
}
