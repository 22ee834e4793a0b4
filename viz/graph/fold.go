package graph

import "slices"

// step is one node of a folded sequence: either one element, or a body that repeats. An
// element of a body stands for the elements of all iterations.
type step struct {
	symbol  int   // equal for steps of equal form
	line    int   // of the program, where it begins; 0 is unknown
	members []int // of an element: positions in the sequence
	body    []*step
	times   int // of a body: iterations, added over those of the bodies around it
	entered int // of a body: how often it was entered
	weight  int // how many elements it counts for: a fused one for all that it is made of

	spans []span // the parts of the sequence that it stands for, one for each time that it is come by
	turns []span // of a body: its iterations
}

// span is the elements from lo up to hi, which is not one of them.
type span struct{ lo, hi int }

const (
	maxPeriod  = 512 // longest loop body that is looked for
	foldRounds = 4   // deepest nest of loops
)

// fold finds the loops in a sequence of keys: adjacent repetitions of a block of keys. A block
// folds when it repeats at least least times and covers at least eight elements, so that
// the three additions of a+b+c+d stay three. Blocks within blocks fold too, even
// where their numbers of iterations differ. Lines are the elements' lines in the program, weights
// what each counts for; nil means 1.
func fold(keys []string, lines, weights []int, least int) []*step {
	symbols := map[string]int{}
	seq := make([]*step, len(keys))
	for i, key := range keys {
		if _, known := symbols[key]; !known {
			symbols[key] = len(symbols)
		}
		seq[i] = &step{symbol: symbols[key], line: lines[i], members: []int{i}, weight: 1, spans: []span{{i, i + 1}}}
		if weights != nil {
			seq[i].weight = weights[i]
		}
	}
	bodies := map[string]int{} // symbols of a body -> its own symbol, above all those of elements
	for range foldRounds {
		folded := foldOnce(seq, least, 1, func(body []*step) int {
			key := bodyKey(body)
			if _, known := bodies[key]; !known {
				bodies[key] = len(keys) + len(bodies)
			}
			return bodies[key]
		})
		if len(folded) == len(seq) {
			break
		}
		seq = folded
	}
	inOrder(seq)
	return seq
}

// inOrder sorts what merging has left as it came.
func inOrder(seq []*step) {
	bySpan := func(a, b span) int { return a.lo - b.lo }
	for _, s := range seq {
		slices.Sort(s.members)
		slices.SortFunc(s.turns, bySpan)
		slices.SortFunc(s.spans, bySpan)
		inOrder(s.body)
	}
}

func bodyKey(body []*step) string {
	var key []byte
	for _, s := range body {
		for v := s.symbol; ; v >>= 7 {
			key = append(key, byte(v&0x7f)|0x80)
			if v < 0x80 {
				break
			}
		}
		key = append(key, 0)
	}
	return string(key)
}

// foldOnce replaces, from left to right, the longest repetition that starts at each place. The
// sequence is itself the body of something that ran runs times.
func foldOnce(seq []*step, least, runs int, symbol func([]*step) int) []*step {
	var out []*step
	next := again(seq)
	for i := 0; i < len(seq); {
		period, times := repetition(seq[i:], next[i:], least)
		if period == 0 {
			out = append(out, seq[i])
			i++
			continue
		}
		shift := turn(seq, i, period, times)
		out = append(out, seq[i:i+shift]...)
		i += shift
		var spans, turns []span
		for o := range seq[i].spans {
			spans = append(spans, span{seq[i].spans[o].lo, seq[i+period*times-1].spans[o].hi})
			for k := range times {
				turns = append(turns, span{seq[i+k*period].spans[o].lo, seq[i+(k+1)*period-1].spans[o].hi})
			}
		}
		body := make([]*step, period)
		for j := range body {
			body[j] = seq[i+j]
			for k := 1; k < times; k++ {
				merge(body[j], seq[i+k*period+j])
			}
		}
		body = foldOnce(body, least, runs*times, symbol)
		out = append(out, &step{symbol: symbol(body), line: body[0].line, body: body, times: runs * times, entered: runs, weight: weigh(body), spans: spans, turns: turns})
		i += period * times
	}
	return out
}

// again returns for each element how far behind it the next one of equal form stands; 0: there is none.
func again(seq []*step) []int {
	next := make([]int, len(seq))
	at := map[int]int{}
	for i := len(seq) - 1; i >= 0; i-- {
		if j, known := at[seq[i].symbol]; known {
			next[i] = j - i
		}
		at[seq[i].symbol] = i
	}
	return next
}

// repetition returns the block at the front of seq that covers most, the shortest of
// those, and how often it repeats; zeros if none does. A block can only end before an element of the form of its first.
func repetition(seq []*step, next []int, least int) (period, times int) {
	for p := next[0]; p > 0 && p <= maxPeriod && 2*p <= len(seq); p += next[p] {
		n := p
		for n < len(seq) && seq[n].symbol == seq[n-p].symbol {
			n++
		}
		if n/p >= least && n/p*weigh(seq[:p]) >= 8 && n/p*p > period*times {
			period, times = p, n/p
		}
		if next[p] == 0 {
			break
		}
	}
	return period, times
}

func weigh(seq []*step) int {
	sum := 0
	for _, s := range seq {
		sum += s.weight
	}
	return sum
}

// turn returns by how many elements a repetition should begin later, so that the body
// begins where the program jumps back to an earlier line. The first iteration often differs
// from the others, so that a repetition begins in the middle of it.
func turn(seq []*step, i, period, times int) int {
	length := period * times
	for i+length < len(seq) && seq[i+length].symbol == seq[i+length-period].symbol {
		length++
	}
	for shift := 0; i > 0 && shift <= length-period*times; shift++ {
		if seq[i+shift].line < seq[i+shift-1].line {
			return shift
		}
	}
	return 0
}

// merge adds the members of other, which has the same form, to s.
func merge(s, other *step) {
	s.members = append(s.members, other.members...)
	s.times += other.times
	s.entered += other.entered
	s.spans = append(s.spans, other.spans...)
	s.turns = append(s.turns, other.turns...)
	for i := range s.body {
		merge(s.body[i], other.body[i])
	}
}

// leaves returns the elements of a folded sequence in order.
func leaves(seq []*step) []*step {
	var out []*step
	for _, s := range seq {
		if s.body == nil {
			out = append(out, s)
		} else {
			out = append(out, leaves(s.body)...)
		}
	}
	return slices.Clip(out)
}
