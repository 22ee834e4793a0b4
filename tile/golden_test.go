package tile

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/datadriven"
)

// TestGolden runs the files of testdata/golden. Commands:
//
//	parse                 the program's text, or the parser's error
//	check                 "ok", or the checker's error
//	run shape=(2,3) ...   the contents of the output parameters
//	  p0=[1,2,3]          contents of an input buffer in C order; its shape is the index space's
//	  p0.strides=(8,0)    unless strides are given
//	  p0.shape=(2,3)      of a whole parameter
//	  u0=2 origin=(4,0) reduced=(0,1) block=(1,4)
//	run grid=(2,1,1) threads=(4,1,1) dynamic=64
//	  p0.shape=(2,3) p0=[1,2,3,4,5,6]
//	                      a program of threads: every parameter has a shape; zeros unless it has contents
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		d := NewReference(0, time.Now(), nil)
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		return func(t *testing.T, c *datadriven.Case) string {
			p, err := Parse(c.Input)
			if err != nil {
				return err.Error()
			}
			switch c.Cmd {
			case "parse":
				return p.String()
			case "check":
				if err := Check(p); err != nil {
					return err.Error()
				}
				return "ok"
			case "run":
				return runGolden(t, d, p, c)
			}
			return "unknown command " + c.Cmd
		}
	})
}

func runGolden(t *testing.T, d Device, p *Program, c *datadriven.Case) string {
	exe, err := d.Compile(p)
	if err != nil {
		return err.Error()
	}
	l := &Launch{Exe: exe, Program: p, Shape: ints(c.String("shape", "()")), Origin: ints(c.String("origin", "()"))}
	if len(l.Origin) == 0 {
		l.Origin = make([]int, p.Rank)
	}
	if p.Threads {
		l.Grid = Grid{[3]int(ints(c.String("grid", "(1,1,1)"))), [3]int(ints(c.String("threads", "(1,1,1)"))), int64(c.Int("dynamic", 0))}
		l.Shape, l.Origin = nil, nil
	}
	out := l.Shape
	if p.Reduces() {
		for _, a := range ints(c.String("reduced", "()")) {
			l.Reduced |= 1 << a
		}
		l.Block = BlockShape(l.Shape, l.Reduced)
		if c.Has("block") {
			l.Block = ints(c.Args["block"])
		}
		out = GridShape(l.Shape, l.Block)
	}
	for i, u := range p.Uniforms {
		s, err := ParseScalar(u, c.Args[fmt.Sprintf("u%d", i)])
		if err != nil {
			return err.Error()
		}
		l.Uniforms = append(l.Uniforms, s)
	}
	for i, param := range p.Params {
		name, shape := fmt.Sprintf("p%d", i), l.Shape
		if param.Dir.Writes() {
			shape = out
		}
		var own []int
		if param.Axes > 0 || p.Threads {
			own = ints(c.String(name+".shape", "()"))
			shape = own
		}
		strides := make([]int64, len(shape))
		n := 1
		for a := len(shape) - 1; a >= 0; a-- {
			strides[a] = int64(n * param.Type.Size())
			n *= shape[a]
		}
		if text, ok := c.Args[name+".strides"]; ok {
			for a, s := range ints(text) {
				strides[a] = int64(s)
			}
		}
		var elements []string
		if _, given := c.Args[name]; param.Dir == In || given {
			if c.Args[name] != "[]" {
				elements = fields(c.Args[name])
			}
			n = len(elements)
		}
		b, err := d.Alloc(int64(n * param.Type.Size()))
		if err != nil {
			t.Fatal(err)
		}
		for k, text := range elements {
			s, err := ParseScalar(param.Type, text)
			if err != nil {
				return err.Error()
			}
			write(b.Bytes()[k*param.Type.Size():][:param.Type.Size()], s)
		}
		l.Args = append(l.Args, Binding{Buffer: b, Offset: int64(c.Int(name+".offset", 0)), Strides: strides, Shape: own})
	}
	d.Launch(Inline, l, func(c Completion) { err = c.Err })
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for i, param := range p.Params {
		b := l.Args[i].Buffer
		if param.Dir.Writes() {
			fmt.Fprintf(&text, "p%d", i)
			for at := 0; at < int(b.Size); at += param.Type.Size() {
				fmt.Fprintf(&text, " %v", read(param.Type, b.Bytes()[at:][:param.Type.Size()]))
			}
			text.WriteByte('\n')
		}
		d.Free(b)
	}
	return text.String()
}

// fields splits [a,(b,c)] at the commas outside parentheses.
func fields(list string) []string {
	list = strings.Trim(list, "[]")
	var out []string
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, list[from:i])
				from = i + 1
			}
		}
	}
	return append(out, list[from:])
}

func ints(tuple string) []int {
	out := []int{}
	for _, w := range strings.Split(strings.Trim(tuple, "()"), ",") {
		if w == "" {
			continue
		}
		n, err := strconv.Atoi(w)
		if err != nil {
			panic(err)
		}
		out = append(out, n)
	}
	return out
}
