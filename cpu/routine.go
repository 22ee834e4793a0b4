package cpu

import (
	"fmt"

	"weft/tile"
)

// call runs a named routine.
func (e *engine) call(x *executable, l *tile.Launch) error {
	args, err := l.Operands(nil, e.resolve)
	if err != nil {
		return fmt.Errorf("cpu: %s: %w", e.info.Name, err)
	}
	if err := x.routine(&tile.Call{Program: l.Program, Args: args, Uniforms: l.Uniforms, Share: e.share, Reserve: e.reserve}); err != nil {
		return err
	}
	for i := range x.program.Watched {
		if l.Watch != nil && l.Watch.Missing(i) != 0 {
			l.Watch.Find(i, routineRules[x.program.Watched[i].Rule](x.program, args))
		}
	}
	return nil
}

// routineRules find what went wrong in routines, from their operands.
var routineRules = map[tile.Rule]func(p *tile.Program, args []tile.Operand) tile.Flags{tile.Running: ran, tile.Lost: lost}

// reserve runs work, which uses so many cores, with those of idle queues.
func (e *engine) reserve(most int, work func(cores int) error) error {
	n := 1
	for n < most && e.cores.lend() {
		n++
		defer e.cores.back()
	}
	return work(n)
}
