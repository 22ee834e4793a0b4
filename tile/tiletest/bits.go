package tiletest

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"weft/tile"
)

// singles are functions of float32 that devices have in two languages, with a digest of the bits that they have in
// common for the arguments of testBits.
var singles = map[tile.Opcode]uint64{
	tile.Log:  0xbfbf9e14e9bfc75,
	tile.Cbrt: 0x76bd563812724458,
	tile.Erf:  0xd9a027ea864ba7e1,

	tile.Abs:   0x64aae3fab31cf71f,
	tile.Erfc:  0xa859716a1162aa75,
	tile.Hypot: 0x64aae3fab31cf71f,
	tile.Tan:   0x563d9ea1fa9a67c4,
	tile.Atan2: 0xa3a99f06de602cfe,
	tile.Asinh: 0xf200003e94e101e0,
	tile.Acosh: 0x9281b63d9a433e72,
	tile.Atanh: 0xdfa581e33e3d0596,
}

// testBits compares bits that no device may change: processors and GPUs take the same steps, so that a program has the
// same result on either. The reference has none of these steps.
func testBits(b *bench) {
	if _, is := b.dev.(*tile.Reference); is {
		return
	}
	const count, apart = 8192, 524287 // any exponent, either sign, and NaN
	for op, want := range singles {
		b.sub(op.String(), func(b *bench) {
			nb := tile.NewBuilder("bits", 1)
			var in []tile.Value
			operands := op.Arity()
			if op == tile.Abs { // of a complex number
				operands = 2
			}
			for range operands {
				in = append(in, nb.Load(tile.Float32))
			}
			if op == tile.Abs {
				nb.Store(nb.Do(op, nb.Do(tile.MakeComplex, in...)))
			} else {
				nb.Store(nb.Do(op, in...))
			}
			tr := &trial{program: nb.Program(), shape: []int{count}}
			tr.fit(layout{shape: tr.shape}, func(tile.DType) tile.Scalar { return tile.Scalar{Type: tile.Float32} })
			for i := range count {
				binary.LittleEndian.PutUint32(tr.memory[0][4*i:], uint32(i*apart))
				if len(in) > 1 { // of any size beside the other, close to it, and as large with the other sign
					other := [...]uint32{1 << 31, 12345678 * uint32(i), uint32(i) << 22, 3 * uint32(i)}[i%4]
					binary.LittleEndian.PutUint32(tr.memory[1][4*i:], uint32(i*apart)+other)
				}
			}
			results := tr.on(b, b.dev)[len(in)]
			digest := fnv.New64a()
			for i := range count {
				bits := binary.LittleEndian.Uint32(results[4*i:])
				if math.IsNaN(float64(math.Float32frombits(bits))) {
					bits = 0x7fc00000
				}
				digest.Write(binary.LittleEndian.AppendUint32(nil, bits))
			}
			if got := digest.Sum64(); got != want {
				b.Errorf("%v of %d float32 has the digest %#x; want %#x", op, count, got, want)
			}
		})
	}
}
