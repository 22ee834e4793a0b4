package cpu

import (
	"fmt"
	"strings"
	"testing"

	"weft/cpu/vm"
	"weft/internal/datadriven"
	"weft/tile"
)

// TestCode shows what programs are lowered to: steps, strips and their registers.
func TestCode(t *testing.T) {
	d := New(Options{Workers: 1, ISA: "base"})
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	datadriven.Run(t, "testdata/code.txt", func(t *testing.T, c *datadriven.Case) string {
		var p *tile.Program
		switch c.Cmd {
		case "text":
			var err error
			if p, err = tile.Parse(c.Input); err != nil {
				t.Fatal(err)
			}
		case "black-scholes":
			p = blackScholes(tile.Float64)
		case "gray-scott":
			p = grayScott(tile.Float32)
		default:
			t.Fatalf("%s: no command %s", c.Pos, c.Cmd)
		}
		x, err := compile(p, d.table, d.micros, d.routines)
		if err != nil {
			return err.Error()
		}
		s := describe(d.table, x.fast)
		if x.careful != nil && !c.Has("fast") {
			s += "where outputs are inputs:\n" + describe(d.table, x.careful)
		}
		return s
	})
}

// describe is the text form of code.
func describe(table vm.Table, c *code) string {
	rows, micros := map[uint16]string{}, map[uint8]string{}
	for name, p := range table {
		if was, ok := rows[p.Row]; !ok || was > name[0] {
			rows[p.Row] = name[0] + "(" + name[1] + ")"
		}
	}
	for name, i := range vm.Micros() {
		micros[i] = name
	}
	operand := func(v uint16) string {
		p := c.places[v]
		switch p.kind {
		case inWindow:
			return fmt.Sprintf("p%d", p.n)
		case inRegister:
			return fmt.Sprintf("x%d", p.n)
		case inLiteral:
			return fmt.Sprintf("const%d", p.n)
		case inUniform:
			return fmt.Sprintf("u%d", p.n)
		case inSlot:
			return fmt.Sprintf("s%d", p.n)
		}
		return fmt.Sprintf("cell%d", p.n)
	}
	var b strings.Builder
	for _, s := range c.steps {
		if s.Op != vm.StripStep {
			fmt.Fprintf(&b, "%s = %s", operand(s.D), rows[s.Op])
			for _, p := range table {
				if p.Row == s.Op {
					for _, v := range s.In[:p.Inputs] {
						b.WriteString(" " + operand(v))
					}
					break
				}
			}
			b.WriteString("\n")
			continue
		}
		strip := c.strips[s.D]
		fmt.Fprintf(&b, "strip float%d\n", 8*strip.Size)
		for _, m := range c.micros[strip.First : strip.First+strip.Count] {
			switch name := micros[m.Op]; {
			case name == "end":
			case name == "store":
				fmt.Fprintf(&b, "\t%s = r%d\n", operand(m.Operand), m.Reg)
			case name == "load":
				fmt.Fprintf(&b, "\tr%d = %s\n", m.Reg, operand(m.Operand))
			case m.Kind != vm.NextAccumulator:
				fmt.Fprintf(&b, "\tr%d %s %s\n", m.Reg, name, operand(m.Operand))
			case name == "neg" || name == "abs" || name == "sqrt" || name == "not":
				fmt.Fprintf(&b, "\tr%d %s\n", m.Reg, name)
			default:
				fmt.Fprintf(&b, "\tr%d %s r%d\n", m.Reg, name, m.Reg+1)
			}
		}
	}
	fmt.Fprintf(&b, "%d registers, %d slots, blocks of %d\n", c.registers, c.slots, c.block)
	return b.String()
}
