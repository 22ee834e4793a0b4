package cpu

import (
	"fmt"

	"weft/cpu/eager"
	"weft/cpu/vm"
	"weft/tile"
)

// Straight lowers programs for package eager, with the steps that a Device takes for them: one primitive for each
// operation, and never a strip, whose bits are the same.
type Straight struct{ table vm.Table }

// NewStraight reads the table of primitives.
func NewStraight() Straight { return Straight{vm.NewTable()} }

// Code returns the code of a program that computes one result from its inputs, point by point, of which a coordinate is
// none. The error says why a program has none.
func (s Straight) Code(p *tile.Program) (eager.Code, error) {
	if p.Routine != "" || p.Threads || p.Reduces() || p.Flows() || p.Gathers() {
		return eager.Code{}, fmt.Errorf("cpu: program %q is no straight line", p.Name)
	}
	lo, err := lower(p, s.table, nil)
	if err != nil {
		return eager.Code{}, err
	}
	lo.stepwise = true
	places, nodes, err := lo.forward()
	if err != nil {
		return eager.Code{}, err
	}
	c, err := lo.finish(places, nodes, false)
	if err != nil {
		return eager.Code{}, err
	}
	if len(lo.writes) != 1 || len(lo.indexes) > 0 || !c.safe {
		return eager.Code{}, fmt.Errorf("cpu: program %q has %d results and %d coordinates; want one result of no coordinate",
			p.Name, len(lo.writes), len(lo.indexes))
	}
	to := &eager.Program{Steps: c.steps}
	for _, l := range lo.literals {
		to.Literals = append(to.Literals, l.Bits)
	}
	for _, v := range c.places {
		place := eager.Place{N: v.n, Size: v.size}
		switch v.kind {
		case inRegister:
			place.Kind = eager.Register
		case inLiteral:
			place.Kind = eager.Literal
		case inUniform:
			place.Kind = eager.Uniform
		case inWindow:
			place.Kind = eager.Input
			if p.Params[v.n].Dir.Writes() {
				place.Kind = eager.Output
			}
		default:
			return eager.Code{}, fmt.Errorf("cpu: program %q has a value of kind %d", p.Name, v.kind)
		}
		to.Places = append(to.Places, place)
	}
	code, ok := eager.NewCode(to)
	if !ok {
		return code, fmt.Errorf("cpu: program %q has too many values", p.Name)
	}
	return code, nil
}

// Fold returns how a combiner combines elements of a dtype.
func (s Straight) Fold(comb tile.Combiner, t tile.DType) (eager.Fold, error) {
	step, err := primitive(s.table, comb.Step().String(), t.String())
	if err != nil {
		return eager.Fold{}, err
	}
	neutral, settles := comb.Neutral(t)
	return eager.NewFold(step.Row, t.Size(), settles, neutral.Bits), nil
}
