package scheduler

import "weft/tile"

// Work returns what an op costs, in the unit of Options.Inline.
func (op *Op) Work() int64 {
	points, sum := int64(1), int64(0)
	for _, n := range op.Shape {
		points *= int64(n)
	}
	for i := range op.Uses {
		switch v := &op.Uses[i].View; op.Kind {
		case Call:
			sum += int64(v.Elements()) * int64(v.Type.Size()) * callWork
		case Contract:
			sum += v.Moved(v.Shape)
		default:
			sum += points * int64(v.Type.Size())
		}
	}
	if op.Grid != nil { // loops count once, as in other programs
		points = op.Grid.Count() * int64(op.Grid.BlockThreads())
	}
	if op.Kind == Contract {
		return max(sum, effort(op, points))
	}
	return sum + points*op.Program.Work()
}

// callWork is how often a named routine moves what it gets, more or less: sorts and factorisations
// are what takes time.
const callWork = 8

// effort is what a contraction costs, in the unit of Options.Inline: a core multiplies and adds
// 8 elements while it moves one, where a library does it.
func effort(op *Op, points int64) int64 {
	t := op.Uses[len(op.Uses)-1].View.Type
	switch {
	case t == tile.Float32, t.Size() >= 8 && (t.Is(tile.KindFloat) || t.Is(tile.KindComplex)):
		return points * int64(t.Size()) / 8
	}
	return points * 8
}
