package jit

import (
	"fmt"
	"slices"
)

// number is an integer that is the same for all threads, and known when a kernel is launched: a literal, an argument,
// the extent of an array or of the grid, or computed from such.
type number struct {
	op   numberOp
	n    int64 // the literal, or which argument, or axis
	x, y *number
}

type numberOp uint8

const (
	literalNumber  numberOp = iota
	argumentNumber          // n = argument
	extentNumber            // n = argument << 8 | axis
	threadsNumber           // n = axis of the grid: all threads along it
	blockNumber             // n = axis: threads of a block
	blocksNumber            // n = axis: blocks
	dynamicNumber           // elements of n bytes in the dynamic shared memory
	strideNumber            // n = argument << 8 | axis
	addNumber
	subNumber
	mulNumber
	floorNumber
	remNumber
	minNumber
	maxNumber
)

// Facts are what is known of a launch: the shapes and strides of the arguments that are arrays, the integers among
// them, and how many blocks there are of how many threads, along each axis.
type Facts struct {
	Shapes        [][]int
	Strides       [][]int64 // in bytes
	Integers      []int64
	Blocks, Block [3]int64
	Dynamic       int64 // bytes of dynamic shared memory
}

// Equal reports whether the same is known of two launches.
func (f *Facts) Equal(g *Facts) bool {
	return f.Blocks == g.Blocks && f.Block == g.Block && f.Dynamic == g.Dynamic && slices.Equal(f.Integers, g.Integers) &&
		slices.EqualFunc(f.Shapes, g.Shapes, slices.Equal[[]int]) && slices.EqualFunc(f.Strides, g.Strides, slices.Equal[[]int64])
}

func literal(n int64) *number { return &number{op: literalNumber, n: n} }

// arith is the number that an operation gives, simplified where operands are literals.
func arith(op numberOp, x, y *number) *number {
	if x == nil || y == nil {
		return nil
	}
	made := &number{op: op, x: x, y: y}
	switch {
	case x.op == literalNumber && y.op == literalNumber:
		return literal(made.value(nil))
	case y.is(0) && (op == addNumber || op == subNumber), y.is(1) && (op == mulNumber || op == floorNumber):
		return x
	case (x.is(0) || y.is(0)) && op == mulNumber:
		return literal(0)
	case x.is(0) && op == addNumber, x.is(1) && op == mulNumber:
		return y
	}
	return made
}

func (x *number) is(n int64) bool { return x.op == literalNumber && x.n == n }

// value computes the number for a launch.
func (x *number) value(f *Facts) int64 {
	switch x.op {
	case literalNumber:
		return x.n
	case argumentNumber:
		return f.Integers[x.n]
	case extentNumber:
		return int64(f.Shapes[x.n>>8][x.n&255])
	case strideNumber:
		return f.Strides[x.n>>8][x.n&255]
	case threadsNumber:
		return f.Blocks[x.n] * f.Block[x.n]
	case blockNumber:
		return f.Block[x.n]
	case blocksNumber:
		return f.Blocks[x.n]
	}
	if x.op == dynamicNumber {
		return f.Dynamic / x.n
	}
	a, b := x.x.value(f), x.y.value(f)
	switch x.op {
	case addNumber:
		return a + b
	case subNumber:
		return a - b
	case mulNumber:
		return a * b
	case minNumber:
		return min(a, b)
	case maxNumber:
		return max(a, b)
	}
	quotient, rest := int64(0), int64(0) // by 0: as tile has it
	if b == -1 {
		quotient = -a
	} else if b != 0 {
		quotient, rest = a/b, a%b
		if rest != 0 && (rest < 0) != (b < 0) {
			quotient, rest = quotient-1, rest+b
		}
	}
	if x.op == floorNumber {
		return quotient
	}
	return rest
}

// String tells equal numbers from others.
func (x *number) String() string {
	if x == nil {
		return "-"
	}
	if x.op < addNumber {
		return fmt.Sprintf("%d:%d", x.op, x.n)
	}
	return fmt.Sprintf("%d(%v,%v)", x.op, x.x, x.y)
}

// position is the index of the thread along an axis of the grid, plus a number.
type position struct {
	axis   int
	offset *number
}

// bound is a limit of the threads that do anything: those below or from limit on along an axis.
type bound struct {
	axis  int
	below bool
	limit *number
}
