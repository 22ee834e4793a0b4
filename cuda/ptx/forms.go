package ptx

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/tile"
)

// Parameters is a set of a program's parameters, of the first 64.
type Parameters uint64

// Has reports whether a parameter is in the set.
func (s Parameters) Has(param int) bool { return s>>uint(param)&1 == 1 }

// Form says in words which form of a launch a variant is.
func (v Variant) Form() string {
	switch {
	case v.Product > 0:
		return fmt.Sprintf("product of matrices, tiles of %d", int(v.Product)*threadsAcross)
	case v.Staged:
		return fmt.Sprintf("reduced by blocks of threads, %d ahead", v.Ahead)
	case v.Short:
		return fmt.Sprintf("reduced, %d lanes, %d to a thread, %d blocks ahead", v.Lanes, v.Vector, v.Ahead)
	case v.Lanes > 0:
		return fmt.Sprintf("reduced, %d lanes to a thread, %d ahead", v.Vector, v.Ahead)
	case v.Vector > 0:
		return fmt.Sprintf("vector of %d, %d ahead", v.Vector, v.Ahead)
	case v.Turned != 0:
		return fmt.Sprintf("tiles, %d of %d operands turned", bits.OnesCount64(uint64(v.Turned)), len(v.Alike))
	case v.Rows > 0:
		return fmt.Sprintf("rows, %d a turn", v.Rows)
	case v.Bytes || v.Loose != 0:
		return "byte by byte"
	}
	if v.Ahead > 0 {
		return fmt.Sprintf("reduced, %d ahead", v.Ahead)
	}
	return "one by one"
}

// shape chooses the form of a planned launch whose operands lie at multiples of their size.
func (v *Variant) shape(l *tile.Launch, s *Space) {
	p := l.Program
	if v.Axes == 0 || v.Bytes || len(p.Params) > 64 {
		return
	}
	weight := 0
	for i := range p.Code {
		switch in := &p.Code[i]; in.Op {
		case tile.Gather, tile.If, tile.Else, tile.Merge, tile.Loop, tile.Carry, tile.While, tile.Next, tile.End:
			return
		default:
			weight += cost(in)
		}
	}
	if s.Block != nil {
		v.sums(l, s, weight)
		return
	}
	for i := range p.Params {
		if p.Params[i].Dir == tile.In && !slices.ContainsFunc(s.Strides[i], func(n int64) bool { return n != 0 }) {
			s.Same |= 1 << uint(i)
		}
	}
	if v.Axes == 1 {
		v.vector(l, s, weight)
	} else {
		v.rows(l, s, weight)
	}
}

// vector makes the vector form, if it can be: the operands are one element each, or lie one behind the other.
func (v *Variant) vector(l *tile.Launch, s *Space, weight int) {
	largest, in := 1, 0
	for i, param := range l.Program.Params {
		size := param.Type.Size()
		if s.Same.Has(i) {
			continue
		}
		if s.Strides[i][0] != int64(size) {
			return
		}
		if largest = max(largest, size); param.Dir == tile.In {
			in += size
		}
	}
	s.Widest = accessBytes / largest
	for s.Widest > 1 && s.Widest*weight > mostWritten {
		s.Widest /= 2
	}
	w := s.Lead(l)
	if w == 0 {
		s.Widest = 0
		return
	}
	v.Vector, v.Ahead, v.Same = int8(w), 1, s.Same
	for n := 2; n <= mostAhead && in > 0 && n*w*in <= aheadBytes && n*w*weight <= mostWritten; n *= 2 {
		v.Ahead = int8(n)
	}
}

// rows makes the rows form.
func (v *Variant) rows(l *tile.Launch, s *Space, weight int) {
	if v.tiles(l, s, weight) {
		return
	}
	in := v.classes(l, s)
	v.Rows, s.Rows = 1, true
	for n := 2; n <= mostRows && n*in <= rowsBytes && n*weight <= mostWritten && n <= s.Shape[v.Axes-2]; n *= 2 {
		v.Rows = int8(n)
	}
	s.Lead(l)
}

// tiles makes the tiles form, if that pays: some operands lie along one axis, and some along another. These become the
// last two.
func (v *Variant) tiles(l *tile.Launch, s *Space, weight int) bool {
	if weight*tileSide*tileSide/Threads > mostWritten {
		return false
	}
	along := func(p int) int { // the axis along which a parameter's elements are neighbours; -1 for none
		for a, stride := range s.Strides[p] {
			if size := int64(l.Program.Params[p].Type.Size()); stride == size || stride == -size {
				return a
			}
		}
		return -1
	}
	last, other := -1, -1
	for p := len(l.Args) - 1; p >= 0; p-- { // results are behind what is read
		switch a := along(p); {
		case a < 0 || s.Shape[a] < tileExtents:
		case last < 0:
			last = a
		case a != last && other < 0:
			other = a
		}
	}
	if other < 0 {
		return false
	}
	bytes := 0
	var turned Parameters
	for p := range l.Args {
		strides := s.Strides[p]
		if far := max(strides[last], -strides[last]); along(p) == other && far >= 2*accessBytes {
			turned |= 1 << uint(p)
			bytes += tileSide * (tileSide + 1) * l.Program.Params[p].Type.Size()
		}
	}
	if turned == 0 || bytes > tileMost {
		return false
	}
	if s.Origin != nil && (last != v.Axes-1 || other != v.Axes-2) {
		return false // coordinates are those of the launch's axes
	}
	var order []int
	for a := range s.Shape {
		if a != last && a != other {
			order = append(order, a)
		}
	}
	order = append(order, other, last)
	shape := slices.Clone(s.Shape)
	for i, a := range order {
		s.Shape[i] = shape[a]
	}
	for p := range s.Strides {
		strides := slices.Clone(s.Strides[p])
		for i, a := range order {
			s.Strides[p][i] = strides[a]
		}
	}
	v.Turned, v.Rows = turned, tileSide
	v.classes(l, s)
	return true
}

// classes finds which parameters have the same strides, and returns the bytes of a point's inputs.
func (v *Variant) classes(l *tile.Launch, s *Space) (in int) {
	var alike []byte
	var classes [][]int64
	for i, param := range l.Program.Params {
		if s.Same.Has(i) {
			alike = append(alike, 0)
			continue
		}
		class := slices.IndexFunc(classes, func(c []int64) bool { return slices.Equal(c, s.Strides[i]) })
		if class < 0 {
			class = len(classes)
			classes = append(classes, s.Strides[i])
		}
		if alike = append(alike, byte(class)); param.Dir == tile.In {
			in += param.Type.Size()
		}
	}
	v.Same, v.Alike, v.Near = s.Same, string(alike), true
	for i := range l.Program.Params {
		lowest, highest := s.reach(i)
		v.Near = v.Near && highest-lowest < 1<<32
	}
	return in
}

// reach returns the lowest and the highest offset of an element of a parameter, from the first point's.
func (s *Space) reach(param int) (lowest, highest int64) {
	for i, n := range s.Shape {
		if d := s.Strides[param][i] * int64(n-1); d < 0 {
			lowest += d
		} else {
			highest += d
		}
	}
	return lowest, highest
}

// width returns how many threads of a block lie along the last axis, as a power of two: as many as the axis has points,
// where these are few, and otherwise so many that few have nothing to do. Where there are fewer turns along the other
// axes than a block is high, it is wider.
func width(columns int, turns int64) (shift int) {
	if columns <= rowThreads/2 {
		return bits.Len(uint(columns - 1))
	}
	shift = bits.Len(rowThreads) - 1
	idle := func(n int) int { return -columns & (n - 1) }
	if idle(rowThreads/2)+rowThreads/4 < idle(rowThreads) {
		shift--
	}
	for 1<<shift < min(columns, Threads) && Threads>>shift > int(min(turns, Threads)) {
		shift++
	}
	return shift
}

// Lead finds what depends on addresses: in the vector form how many elements of each operand can be accessed at once,
// which it returns, and the first of them, Head and Vectors; in the lanes form the former; in the rows form Before. It
// returns 0 where not even single elements can be accessed in the vector form, or where it is another form.
func (s *Space) Lead(l *tile.Launch) int {
	for w := s.Widest; w > 0; w /= 2 {
		if s.Block != nil {
			if s.dense.alignedFor(l, w) {
				return w
			}
			continue
		}
		if head, ok := s.lead(l, w); ok {
			n := int64(s.Shape[0])
			s.Head = min(int64(head), n)
			s.Vectors = (n - s.Head) / int64(w)
			return w
		}
	}
	s.Before = 0
	if s.Rows {
		s.Before = s.before(l)
	}
	return 0
}

// before returns how many elements a row of what is written begins behind a line of the device's caches, if all rows
// do: threads in front of the first point make warps write whole lines.
func (s *Space) before(l *tile.Launch) int {
	last := len(s.Shape) - 1
	for p, param := range l.Program.Params {
		strides, size := s.Strides[p], int64(param.Type.Size())
		if param.Dir == tile.In || strides[last] != size {
			continue
		}
		beyond := int64((l.Args[p].Buffer.Handle + uint64(l.Args[p].Offset)) % lineBytes)
		for _, stride := range strides[:last] {
			if stride%lineBytes != 0 {
				return 0
			}
		}
		if beyond%size != 0 || s.Shape[last] <= rowThreads {
			return 0
		}
		return int(beyond / size)
	}
	return 0
}

// lead returns how many elements come before the first access of w elements, if that is the same number for all
// operands: accesses are aligned to their own size.
func (s *Space) lead(l *tile.Launch, w int) (head int, ok bool) {
	every := 1 // elements from one place where an access can begin to the next
	for i := range l.Args {
		if s.Same.Has(i) {
			continue
		}
		size := l.Program.Params[i].Type.Size()
		bytes := min(accessBytes, w*size)
		ahead := int(-(l.Args[i].Buffer.Handle + uint64(l.Args[i].Offset)) % uint64(bytes))
		if ahead%size != 0 {
			return 0, false
		}
		h, n := ahead/size, bytes/size
		if n < every {
			h, n, head, every = head, every, h, n // compare the rarer places with the denser ones
		}
		if h%every != head {
			return 0, false
		}
		head, every = h, n
	}
	return head, true
}
