package tile

import "unsafe"

// lane runs the instructions of one point at a time.
//
// Control flow of one lane is jumps between partners, which Partners finds once:
//
//	v3 if v2            not taken: to the else, or to the end
//	  v4 = ...
//	v5 else             reached from above: to the end
//	  v6 = ...
//	v7 end
//	v8 = merge v4 v6    by which branch was taken
//
//	v9 loop
//	v10 = carry v1      v1 at first, then what next says
//	  v11 = ...
//	v12 while v11       false: behind the end
//	  v13 = ...
//	  v14 next v10 v13
//	v15 end             all carries change at once, then back to the loop
//
// A device runs many lanes at once under masks, or as threads that diverge; what each lane computes is this.
type lane struct {
	l        *Launch
	partners []Value
	values   []Scalar // by instruction; of a store or reduce what goes out, of no dtype where it did not run
	taken    []bool   // by if: the first branch
	args     []Scalar // of the instruction that is run
}

// newLane makes a lane for a launch; run may be called for one point after the other.
func newLane(l *Launch) *lane {
	n := len(l.Program.Code)
	return &lane{l: l, partners: Partners(l.Program), values: make([]Scalar, n), taken: make([]bool, n)}
}

// run computes the values of a point.
func (x *lane) run(point []int) error {
	code := x.l.Program.Code
	clear(x.values)
	for at := 0; at < len(code); {
		in := &code[at]
		args := x.args[:0]
		for _, a := range in.Operands() {
			args = append(args, x.values[a])
		}
		x.args = args
		next := at + 1
		switch in.Op {
		case Load:
			x.values[at] = read(in.Type, element(x.l, int(in.N), point))
		case Gather:
			v, err := gathered(x.l, in, args)
			if err != nil {
				return err
			}
			x.values[at] = v
		case Const:
			x.values[at] = in.Lit
		case Uniform:
			x.values[at] = x.l.Uniforms[in.N]
		case Index:
			x.values[at] = IntScalar(Int64, int64(x.l.Origin[in.N]+point[in.N]))
		case Store, Reduce, Carry:
			x.values[at] = args[0]
		case If:
			if x.taken[at] = args[0].Bits[0] != 0; !x.taken[at] {
				next = int(x.partners[at])
			}
		case Else:
			next = int(x.partners[at])
		case Merge:
			if x.values[at] = args[1]; x.taken[x.partners[at]] {
				x.values[at] = args[0]
			}
		case While:
			if args[0].Bits[0] == 0 {
				next = int(x.partners[at])
			}
		case Loop, Next:
		case End:
			if x.partners[at] == 0 { // of an if
				break
			}
			if x.l.Stop.Stopped() {
				return ErrStopped
			}
			// Stop is looked at once a turn, as devices do: a loop that never ends is ended by it.
			turnCarries(code, x.values, at)
			next = int(x.partners[at])
		default:
			x.values[at] = Eval(in.Op, in.Type, args...)
		}
		at = next
	}
	return nil
}

// turnCarries changes the carries of the loop that ends there, all at once.
func turnCarries(code []Instr, values []Scalar, end int) {
	first := end
	for code[first-1].Op == Next {
		first--
	}
	var next []Scalar
	for i := first; i < end; i++ {
		next = append(next, values[code[i].Args[1]])
	}
	for i := first; i < end; i++ {
		values[code[i].Args[0]] = next[i-first]
	}
}

// gathered reads an element of a whole parameter.
//
// An index counts from the end where it is negative, as in NumPy. The first index that is outside ends the launch:
// devices, whose lanes run in any order, tell one such index, too, but perhaps another one.
func gathered(l *Launch, in *Instr, index []Scalar) (Scalar, error) {
	b := &l.Args[in.N]
	at := b.Offset
	for axis, s := range index {
		i, n := s.Int(), int64(b.Shape[axis])
		if i < -n || i >= n {
			return Scalar{}, OutOfBounds(i, axis, int(n))
		}
		if i < 0 {
			i += n
		}
		at += i * b.Strides[axis]
	}
	return read(in.Type, unsafe.Slice((*byte)(unsafe.Add(b.Buffer.Host, at)), in.Type.Size())), nil
}
