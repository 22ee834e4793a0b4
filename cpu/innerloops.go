package cpu

import (
	"slices"
	"unsafe"

	"weft/cpu/lockstep"
	"weft/cpu/vm"
)

// Inner loops of threads: those without other control flow in them, which all lanes leave in the same turn, and which
// change nothing but values of their own, as that of a product of matrices between its barriers. Package lockstep takes
// all turns of them for some lanes before it takes any for others (cpu/lockstep/inner.h).

// innerLoop is one: what is in lockstep.Inner, and how much room it takes.
type innerLoop struct {
	lockstep.Inner
	code   []lockstep.Code
	values []lockstep.Value
	slots  int

	guarded bool // what it reads is looked at: in the order of its turns
}

// bytes is how much the loop takes where a row is laid out.
func (l *innerLoop) bytes() int {
	const lines = 5 * 64
	return len(l.code)*int(unsafe.Sizeof(lockstep.Code{})) + len(l.values)*int(unsafe.Sizeof(lockstep.Value{})) + int(unsafe.Sizeof(l.Inner)) +
		l.slots*l.slot() + int(l.Kinds)*lockstep.Strips*lockstep.Spots + lines
}

// slot is how many bytes a value takes: those of a strip, which is the row in guarded programs.
func (l *innerLoop) slot() int {
	if l.guarded {
		return lockstep.RowSlot
	}
	return lockstep.Slot
}

// lay lays the loop out.
func (l *innerLoop) lay(a *arena) lockstep.Inner {
	to := l.Inner
	code, values := carve[lockstep.Code](a, len(l.code)), carve[lockstep.Value](a, len(l.values))
	copy(code, l.code)
	copy(values, l.values)
	to.Code, to.Value = start(code), start(values)
	spots := carve[byte](a, int(l.Kinds)*lockstep.Strips*lockstep.Spots)
	each := lockstep.Spots
	if l.guarded {
		each = lockstep.RowSpots
	}
	for i := 0; i+8 <= len(spots); i += each {
		clear(spots[i : i+8]) // of no row
	}
	to.Room, to.Spots = start(carve[byte](a, l.slots*l.slot())), start(spots)
	return to
}

// innerCodes are the codes of steps by row of package vm's table: lockstep.Codes.
type innerCodes struct {
	rows, ones map[uint16]int32
	inputs     map[uint16]int
	names      lockstep.Codes
}

func newInnerCodes(table vm.Table) innerCodes {
	c := innerCodes{rows: map[uint16]int32{}, ones: map[uint16]int32{}, inputs: map[uint16]int{}}
	all := lockstep.NewCodes()
	c.names = all
	for name, p := range table {
		c.inputs[p.Row] = p.Inputs
		if code, ok := all.Rows[name]; ok {
			c.rows[p.Row] = code
		}
		if code, ok := all.Ones[name]; ok {
			c.ones[p.Row] = code
		}
	}
	return c
}

// innerLoops finds them, and has their Loop steps name them. What they read from before them is needed to their end.
func (lo *threadLowering) innerLoops() {
	steps := lo.c.steps
	lo.differs(none, false) // which makes room for all places
	for again := range steps {
		if steps[again].Kind != lockstep.Again || steps[again].N != 0 {
			continue
		}
		begin := again
		for begin >= 0 && steps[begin].Kind != lockstep.Loop {
			begin--
		}
		l := innerLowering{threadLowering: lo, begin: begin, again: again, written: map[int]int{}, number: map[int]int32{}, ahead: map[int]bool{}}
		if !l.fits() {
			continue
		}
		if made, ok := l.lower(); ok {
			lo.c.inner = append(lo.c.inner, made)
			steps[begin].N = int32(len(lo.c.inner))
			lo.loops = append(lo.loops, [2]int{begin, again})
		}
	}
	// Inner loops end first: see assign.
	slices.SortStableFunc(lo.loops, func(a, b [2]int) int { return a[1] - b[1] })
}

// innerLowering makes an inner loop of the steps from a Loop to an Again.
type innerLowering struct {
	*threadLowering
	begin, again int
	while        int
	written      map[int]int   // by place: how many steps write it
	number       map[int]int32 // by place: its value
	ahead        map[int]bool  // by place: it is computed ahead of the turns
	loop         innerLoop
}

// fits reports whether the steps are those of an inner loop.
func (l *innerLowering) fits() bool {
	for k := l.begin + 1; k < l.again; k++ {
		s := &l.c.steps[k]
		switch {
		case s.Kind < lockstep.If, s.Kind == lockstep.Element:
		case s.Kind == lockstep.Keep:
			if l.rows[s.In[0]] && !l.rows[s.D] {
				return false
			}
		case s.Kind == lockstep.While:
			if l.while = k; s.N != 0 || s.Idle != 0 || l.rows[s.In[0]] {
				return false
			}
			continue
		default:
			return false
		}
		l.written[int(s.D)]++
	}
	return l.while > 0
}

// reads returns the places that a step reads.
func (l *innerLowering) reads(s *lockstep.Step) []int32 {
	switch {
	case s.Kind < lockstep.If:
		return s.In[:l.codes.inputs[uint16(s.Kind)]]
	case s.Kind == lockstep.Element:
		n := len(s.In)
		for n > 0 && s.In[n-1] == none {
			n--
		}
		return s.In[:n]
	}
	return s.In[:1]
}

// steady reports whether turns do not change a place.
func (l *innerLowering) steady(v int32) bool { return l.written[int(v)] == 0 || l.ahead[int(v)] }

// value returns the number of a place.
func (l *innerLowering) value(place int32) int32 {
	v, known := l.number[int(place)]
	if !known {
		v = int32(len(l.loop.values))
		l.number[int(place)] = v
		x := lockstep.Value{Place: place, Slot: -1, Size: int32(l.places[place].size)}
		if l.rows[place] {
			x.Row = 1
		}
		if l.written[int(place)] > 0 {
			x.Slot = int32(l.loop.slots)
			l.loop.slots++
			if x.Row == 1 {
				l.loop.Widest = max(l.loop.Widest, x.Size)
			}
		}
		l.loop.values = append(l.loop.values, x)
	}
	return v
}

// lower returns the loop, unless it has too many values.
func (l *innerLowering) lower() (innerLoop, bool) {
	carried := l.carries()
	var ahead, turn []lockstep.Code
	for k := l.begin + 1; k < l.again; k++ {
		s := &l.c.steps[k]
		if k < l.while && s.Kind == lockstep.Keep { // of carries, as they begin
			ahead = append(ahead, l.keep(s))
			continue
		}
		if s.Kind == lockstep.Keep {
			if to, hands := carried[s.In[0]]; !hands || to != s.D {
				turn = append(turn, l.keep(s))
			}
			continue
		}
		if s.Kind == lockstep.While {
			turn = append(turn, lockstep.Code{Code: lockstep.CodeLeave, In: [vm.Inputs]int32{l.value(s.In[0])}})
			continue
		}
		to, hands := carried[s.D]
		if hands {
			l.number[int(s.D)] = l.value(to)
		}
		find, does := l.step(k, s)
		ahead = append(ahead, find...)
		looked := l.p.Guarded && s.Kind == lockstep.Element // whenever it is read
		if !hands && !looked && !slices.ContainsFunc(l.reads(s), func(v int32) bool { return !l.steady(v) }) {
			l.ahead[int(s.D)] = true
			ahead = append(ahead, does)
			continue
		}
		turn = append(turn, does)
	}
	turn = append(turn, lockstep.Code{Code: lockstep.CodeAgain})
	l.loop.Again = int32(len(ahead))
	read := l.readElsewhere()
	for v := range l.loop.values {
		if x := &l.loop.values[v]; x.Slot >= 0 && read[x.Place] {
			x.Result = 1
		}
	}
	turn = l.dots(ahead, l.counted(l.sums(turn)))
	l.loop.code = append(ahead, turn...)
	l.loop.guarded = l.p.Guarded
	l.loop.End, l.loop.Values = int32(l.again+1), int32(len(l.loop.values))
	return l.loop, len(l.loop.values) <= lockstep.Values
}

// sums makes one code of a product and the sum that alone reads it. Both are rounded as before.
func (l *innerLowering) sums(turn []lockstep.Code) []lockstep.Code {
	var all []lockstep.Code
	for _, c := range turn {
		n := len(all) - 1
		for i, t := range []string{"float32", "float64"} {
			mul, add := l.codes.names.Rows[[2]string{"mul", t}], l.codes.names.Rows[[2]string{"add", t}]
			if n < 0 || c.Code != add || all[n].Code < mul || all[n].Code > mul+2 || !l.alone(turn, all[n].D) {
				continue
			}
			form, product := all[n].Code-mul, all[n].D
			if c.In[0] != product && c.In[1] != product {
				continue
			}
			sum := lockstep.Code{Code: lockstep.CodeSums + int32(6*i) + form, D: c.D, In: [vm.Inputs]int32{all[n].In[0], all[n].In[1], c.In[1]}}
			if c.In[0] != product {
				sum.Code, sum.In[2] = sum.Code+3, c.In[0]
			}
			c, all = sum, all[:n]
			break
		}
		all = append(all, c)
	}
	return all
}

// alone reports whether one operation of a turn reads a value, as one operand, and nothing behind the loop does.
func (l *innerLowering) alone(turn []lockstep.Code, v int32) bool {
	reads := 0
	for i := range turn {
		for _, x := range turn[i].In {
			if x == v {
				reads++
			}
		}
	}
	return v != 0 && reads == 1 && l.loop.values[v].Result == 0
}

// counted makes one code of what ends a turn and begins the next, where the loop counts in equal steps to a limit.
func (l *innerLowering) counted(turn []lockstep.Code) []lockstep.Code {
	less, add := l.codes.names.Ones[[2]string{"lt", "int64"}], l.codes.names.Ones[[2]string{"add", "int64"}]
	n := len(turn)
	if n < 4 || turn[0].Code != less || turn[1].Code != lockstep.CodeLeave || turn[1].In[0] != turn[0].D || turn[n-2].Code != add {
		return turn
	}
	counter, limit, next := turn[0].In[0], turn[0].In[1], &turn[n-2]
	by := next.In[1]
	if next.D != counter || next.In[0] != counter || by == counter || !l.fixed(turn, limit) || !l.fixed(turn, by) || !l.alone(turn, turn[0].D) {
		return turn
	}
	turn[n-2] = lockstep.Code{Code: lockstep.CodeCount, D: counter, In: [vm.Inputs]int32{by, limit}}
	l.loop.Again += 2
	return turn[:n-1]
}

// fixed reports whether no operation of a turn writes a value.
func (l *innerLowering) fixed(turn []lockstep.Code, v int32) bool {
	return !slices.ContainsFunc(turn, func(c lockstep.Code) bool {
		return c.D == v && c.Code != lockstep.CodeLeave && c.Code != lockstep.CodeAgain
	})
}

// readElsewhere tells of each place whether steps behind the loop, or those of loops around it in their next turn, read
// it.
func (l *innerLowering) readElsewhere() []bool {
	read := make([]bool, len(l.places))
	for k := range l.c.steps {
		if k > l.begin && k <= l.again {
			continue
		}
		reads, _ := l.touches(&l.c.steps[k])
		for _, v := range reads {
			read[v] = true
		}
	}
	return read
}

// carries returns, for what a turn computes and hands on to one carry, that carry, where it may be computed there at
// once: nothing reads what the carry was from then on.
func (l *innerLowering) carries() map[int32]int32 {
	to := map[int32]int32{}
	for k := l.while + 1; k < l.again; k++ {
		s := &l.c.steps[k]
		if s.Kind != lockstep.Keep || l.rows[s.In[0]] != l.rows[s.D] {
			continue
		}
		_, twice := to[s.In[0]]
		if made := l.makes(s.In[0]); made > l.while && !twice && !l.readsAfter(made, s.D) {
			to[s.In[0]] = s.D
		}
	}
	return to
}

// makes returns the step that computes a place in a turn, as a primitive, or -1.
func (l *innerLowering) makes(place int32) int {
	at := -1
	for k := l.begin + 1; k < l.again; k++ {
		if s := &l.c.steps[k]; s.Kind < lockstep.If && s.D == place {
			at = k
		}
	}
	return at
}

// readsAfter reports whether a step of the turn behind one reads a place.
func (l *innerLowering) readsAfter(k int, place int32) bool {
	for k++; k < l.again; k++ {
		if slices.Contains(l.reads(&l.c.steps[k]), place) {
			return true
		}
	}
	return false
}

func (l *innerLowering) keep(s *lockstep.Step) lockstep.Code {
	code := int32(lockstep.CodeCopy)
	if l.rows[s.D] && !l.rows[s.In[0]] {
		code = lockstep.CodeSpread
	}
	return lockstep.Code{Code: code, D: l.value(s.D), In: [vm.Inputs]int32{l.value(s.In[0])}}
}

// step returns the code of step k, which is a primitive, or reads elements: finds says where those are found ahead, if
// the turns do not change that.
func (l *innerLowering) step(k int, s *lockstep.Step) (finds []lockstep.Code, does lockstep.Code) {
	c := lockstep.Code{Step: int32(k), D: l.value(s.D)}
	reads := l.reads(s)
	for i, v := range reads {
		c.In[i] = l.value(v)
	}
	row := l.rows[s.D]
	switch {
	case s.Kind != lockstep.Element && !row:
		c.Code = lockstep.CodeCallOne
		if code, ok := l.codes.ones[uint16(s.Kind)]; ok {
			c.Code = code
		}
	case s.Kind != lockstep.Element:
		c.Code = lockstep.CodeCall
		code, ok := l.codes.rows[uint16(s.Kind)]
		switch {
		case !ok:
		case l.rows[reads[0]] && l.rows[reads[1]]:
			c.Code = code
		case l.rows[reads[0]]:
			c.Code = code + 1
		case l.rows[reads[1]]:
			c.Code = code + 2
		}
	case !row:
		c.Code = lockstep.CodeOne
	default:
		c.Code, c.Spots = lockstep.CodeFound, int32(l.loop.Kinds)
		l.loop.Kinds++
		find := c
		find.Code, find.Stays = lockstep.CodeFind, 1
		for _, v := range reads {
			if l.rows[v] && !l.once[v] {
				find.Stays = 0
			}
			if l.rows[v] && !l.steady(v) {
				c.Code = lockstep.CodeAnywhere
				return nil, c
			}
		}
		return []lockstep.Code{find}, c
	}
	return nil, c
}
