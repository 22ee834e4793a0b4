package arrays

import "weft/tile"

// generators are the bit generators whose numbers are known by their places: rows of an opcode each, and the
// name that NumPy gives them.
var generators = [...]struct {
	name string
	op   tile.Opcode
}{
	{"PCG64", tile.PCG64},
	{"Philox", tile.Philox},
}

// generator is a stream of random numbers and where in it a draw begins.
type generator struct {
	row   int       // of generators
	first uint64    // counts halves of numbers, of which each has two, the low one first
	words [4]uint64 // that the opcode takes after the place
}

// generatorArg reads what stands for a bit generator's state: its name, how many halves of numbers come before
// the draw, and four words: of PCG64 the high and low half of the state and of the increment, of
// Philox the last two of the counter and the two of the key.
func generatorArg(v Value) (generator, error) {
	unknown := &Fallback{"a generator that is neither PCG64 nor Philox"}
	if v.Kind != TupleValue || len(v.Items) != 6 || v.Items[0].Kind != StringValue {
		return generator{}, unknown
	}
	g := generator{row: -1}
	for i := range generators {
		if generators[i].name == v.Items[0].String {
			g.row = i
		}
	}
	if g.row < 0 {
		return generator{}, unknown
	}
	var numbers [5]uint64
	for i, word := range v.Items[1:] {
		if word.Kind != IntValue && word.Kind != UintValue {
			return generator{}, unknown
		}
		numbers[i] = uint64(word.Int)
	}
	g.first, g.words = numbers[0], [4]uint64(numbers[1:])
	return g, nil
}
