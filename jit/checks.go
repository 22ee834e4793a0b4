package jit

import (
	"fmt"

	"weft/tile"
)

// Checks are what the threads of a unit's kernels look for besides wrong indices. What is found is an error of the
// launch, so that kernels with checks are programs of threads, whatever they do.
type Checks struct {
	Guards  bool // races, and reads of what nothing has written: the program is guarded
	Divides bool // divisions by zero, of integers and floats, and negative powers of it
	NaNs    bool // floats that are no numbers, computed from such as are
}

// Checks returns what the unit asks for.
func (u *Unit) Checks() Checks { return u.checks }

func (u *Unit) readChecks(n *Node) error {
	names := map[string]*bool{"guards": &u.checks.Guards, "divides": &u.checks.Divides, "nans": &u.checks.NaNs}
	for _, k := range n.Kids {
		asked := names[k.Word]
		if asked == nil {
			return fmt.Errorf("jit: among the checks is %q; want guards, divides or nans", k.Word)
		}
		*asked = true
	}
	return nil
}

// checkDivisor has the thread fail where what it divides by is zero.
func (l *lower) checkDivisor(n *Node, by *instr) {
	if !l.unit.checks.Divides || !l.threads {
		return
	}
	zero := of(l.do(tile.Eq, by, l.constant(tile.Scalar{Type: by.typ})))
	l.branch(n, zero, func() { l.failWith(n, "ZeroDivisionError", "division by zero", nil) }, func() {})
}

// checkPower does so where it raises zero to a negative power.
func (l *lower) checkPower(n *Node, base, exponent *instr) {
	if !l.unit.checks.Divides || !l.threads || exponent.typ.Is(tile.KindUint|tile.KindComplex) || exponent.typ == tile.Bool {
		return
	}
	zero := l.do(tile.Eq, base, l.constant(tile.Scalar{Type: base.typ}))
	below := l.do(tile.Lt, exponent, l.constant(tile.Scalar{Type: exponent.typ}))
	l.branch(n, of(l.do(tile.And, zero, below)), func() { l.failWith(n, "ZeroDivisionError", "zero to a negative power", nil) }, func() {})
}

// bornNaN has the thread fail where what has just been emitted is no number, and all that it was computed from are.
func (e *emission) bornNaN(in *instr) {
	if !e.l.unit.checks.NaNs || !e.l.threads || !in.typ.Is(tile.KindFloat) || in.op == tile.Select {
		return
	}
	v := e.values[in]
	born := e.b.Do(tile.Ne, v, v)
	for _, a := range in.args {
		if a.typ.Is(tile.KindFloat | tile.KindComplex) {
			born = e.b.Do(tile.And, born, e.b.Do(tile.Eq, e.values[a], e.values[a]))
		}
	}
	e.comesFrom(in)
	e.b.If(born)
	e.b.Fail(e.nanMessage())
	e.b.End()
}

// nanMessage is the number of the message that says so.
func (e *emission) nanMessage() int {
	if e.nan == nil {
		n := e.b.Message("FloatingPointError", "a NaN appears, of operands that are none")
		e.nan = &n
	}
	return *e.nan
}
