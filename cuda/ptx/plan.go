package ptx

import (
	"cmp"
	"slices"

	"weft/tile"
)

// Variant is the form of a launch that a kernel's text depends on, beside the program.
// Variants compare with ==, so that they serve as keys.
type Variant struct {
	Axes    int       // axes of the space that the kernel counts over
	Reduced tile.Axes // of these, which are reduced
	Inner   bool      // the inner form of the canonical order
	Wide    bool      // counting needs 64 bits
	Bytes   bool      // elements lie at any byte, and are read and written byte by byte
	Threads int16     // of a program of threads: how many a block has at most

	// Of a program of threads: whose elements lie at any byte. Parameter 63 stands for those behind it, too.
	Loose Parameters

	Vector  int8       // of the vector form: elements of each operand that a thread takes at once; 0 is another form
	Ahead   int8       // how many times as many it takes in one turn; of a Reduce, how many elements of a lane, 0 for one
	Dense   Parameters // of a Reduce: whose elements lie one behind the other along the axis that is reduced
	Lanes   int8       // of a Reduce in the lanes form: lanes of a block that are used, of which a thread has Vector; 0 is another form
	Whole   bool       // of that: the axis that is reduced is no longer than a block
	Short   bool       // of that: and has an element for each lane, or fewer; a thread has Ahead blocks under way
	Staged  bool       // of that: there are few blocks; the threads of one read what one warp of them combines
	Product int8       // of a product of matrices: elements of the result that a thread has along each side; 0 is another form
	Rows    int8       // of the rows form: rows that a thread takes in a turn; 0 is another form
	Alike   string     // by parameter, which others it has its strides with: the number of a class
	Near    bool       // offsets from the first byte of any parameter have 32 bits
	Turned  Parameters // of the tiles form: which lie along the axis before the last; 0 is another form
	Same    Parameters // of all these: those that are one element for all points
}

// Space is the index space of one launch, with axes that lie one behind the other in memory
// joined, and axes of extent 1 left out.
type Space struct {
	Shape   []int
	Block   []int     // nil for a Map
	Origin  []int     // nil where the program has no index
	Strides [][]int64 // by parameter, then by axis; none for whole parameters
	Points  int64     // a Map's points, a Reduce's blocks

	Same    Parameters // as in the Variant
	Widest  int        // of the vector form: elements of a vector, and of the lanes form, of a thread, at most; 0 is another form
	Head    int64      // elements in front of the first vector
	Vectors int64
	Rows    bool       // it is the rows form
	dense   Parameters // of the lanes form, as in the Variant
	Before  int        // threads in front of the last axis's first point
}

// narrow is how many points, blocks or elements of a block can be counted in 32 bits with a
// grid's stride added.
const narrow = 1 << 31

// Plan returns the form of a checked launch and its index space. Programs with an Index keep
// their axes, because they need the coordinates.
func Plan(l *tile.Launch) (Variant, Space) {
	if l.Program.Threads {
		return planThreads(l)
	}
	if v, s, ok := planProduct(l); ok {
		return v, s
	}
	rank := len(l.Shape)
	reduces, indexes := false, false
	for i := range l.Program.Code {
		reduces = reduces || l.Program.Code[i].Op == tile.Reduce
		indexes = indexes || l.Program.Code[i].Op == tile.Index
	}
	v := Variant{Inner: reduces && rank > 0 && l.Reduced.Has(rank-1)}
	s := Space{Strides: make([][]int64, len(l.Args))}
	if reduces {
		s.Block = []int{}
	}
	for _, i := range order(l, !reduces && !indexes) {
		if l.Shape[i] == 1 && !indexes {
			continue
		}
		last := len(s.Shape) - 1
		if last >= 0 && !indexes && joins(l, &v, &s, i) {
			s.Shape[last] *= l.Shape[i]
			if reduces {
				s.Block[last] *= l.Block[i]
			}
			for p := range s.Strides {
				if l.Program.Params[p].Axes == 0 && (!reduces || l.Program.Params[p].Dir == tile.In || !l.Reduced.Has(i)) {
					s.Strides[p][last] = l.Args[p].Strides[i]
				}
			}
			continue
		}
		s.Shape = append(s.Shape, l.Shape[i])
		if reduces {
			s.Block = append(s.Block, l.Block[i])
			if l.Reduced.Has(i) {
				v.Reduced |= 1 << uint(last+1)
			}
		}
		for p := range s.Strides {
			if l.Program.Params[p].Axes > 0 {
				continue
			}
			s.Strides[p] = append(s.Strides[p], l.Args[p].Strides[i])
		}
	}
	if indexes {
		s.Origin = l.Origin
	}
	v.Axes = len(s.Shape)
	s.Points = 1
	inBlock := int64(1)
	for i, n := range s.Shape {
		if reduces {
			inBlock *= int64(min(n, s.Block[i]))
			n = (n + s.Block[i] - 1) / s.Block[i]
		}
		s.Points *= int64(n)
	}
	v.Wide = s.Points >= narrow || inBlock >= narrow
	for _, n := range s.Shape {
		v.Wide = v.Wide || n >= narrow
	}
	for i := range l.Args {
		v.Bytes = v.Bytes || !Aligned(l, i)
	}
	v.shape(l, &s)
	return v, s
}

// order returns a launch's axes as a kernel counts over them: where any order will do, from the one along which the
// operands' elements are farthest apart, so that neighbours in memory are neighbours for threads.
func order(l *tile.Launch, any bool) []int {
	axes := make([]int, len(l.Shape))
	apart := make([]int64, len(l.Shape))
	for i := range axes {
		axes[i] = i
		for p := range l.Args {
			if l.Program.Params[p].Axes == 0 {
				apart[i] += max(l.Args[p].Strides[i], -l.Args[p].Strides[i])
			}
		}
	}
	if any {
		slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(apart[b], apart[a]) })
	}
	return axes
}

// Aligned reports whether the elements of a parameter lie at multiples of their size, as the device's loads and stores
// want them: the parts of complex numbers, of half the size, one by one. Views of bytes and fields of packed records
// need not.
func Aligned(l *tile.Launch, param int) bool {
	a, size := &l.Args[param], int64(partSize(l.Program.Params[param].Type))
	if (int64(a.Buffer.Handle)+a.Offset)%size != 0 {
		return false
	}
	for _, s := range a.Strides {
		if s%size != 0 {
			return false
		}
	}
	return true
}

// joins reports whether axis i of the launch continues the last axis of the space: both kept
// or both reduced, a step along the one being as far as the whole of the other. Of reduced
// axes the second has to be whole in each block; the results of blocks then lie along the
// first.
func joins(l *tile.Launch, v *Variant, s *Space, i int) bool {
	last := len(s.Shape) - 1
	reduced := l.Reduced.Has(i)
	if reduced != v.Reduced.Has(last) || reduced && l.Block[i] < l.Shape[i] {
		return false
	}
	for p := range s.Strides {
		if reduced && l.Program.Params[p].Dir == tile.Out || l.Program.Params[p].Axes > 0 {
			continue
		}
		if s.Strides[p][last] != l.Args[p].Strides[i]*int64(l.Shape[i]) {
			return false
		}
	}
	return true
}
