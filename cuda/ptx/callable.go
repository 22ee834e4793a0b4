package ptx

import (
	"fmt"
	"slices"
	"strings"

	"weft/tile"
)

// ABI says how a function takes its arguments and hands out its result.
type ABI uint8

// The two that there are. Integers below 4 bytes and truth values are handed over as words, halves and complex numbers
// as structures.
const (
	ABIC     ABI = iota // as CUDA's compilers do: arguments by value, and the result as what the function returns
	ABINumba            // as Numba does: the first argument says where to put the result; what is returned is 0
)

// Function writes a program of lanes that only computes as a function that other PTX may call, of arguments of some
// dtypes: the program's inputs are those at the positions in inputs, and its result is what the program stores.
func Function(p *tile.Program, name string, args []tile.DType, inputs []int, abi ABI) (*Kernel, error) {
	if err := callable(p); err != nil {
		return nil, fmt.Errorf("cuda: function %s: %w", name, err)
	}
	e := &emitter{code: newCode(), p: p, layout: &layout{}, values: make([]value, len(p.Code)), alone: true}
	e.prepareFlow()
	var params []string
	if abi == ABINumba {
		params = append(params, ".param .b64 "+parameter(name, 0))
	}
	first := len(params)
	for i, t := range args {
		params = append(params, passed(t, parameter(name, first+i)))
	}
	e.elements = make([]value, len(p.Params))
	for i, at := range inputs {
		e.elements[i] = e.load(args[at], "param", parameter(name, first+at), 0)
	}
	e.constants()
	if err := e.instructions(); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(p.Code, func(in tile.Instr) bool { return in.Op == tile.Store })
	result := e.values[p.Code[at].Args[0]]
	returned := ".param .b32 " + resultName
	if abi == ABIC {
		returned = passed(result.t, resultName)
		if widened(result.t) {
			r, _ := e.asBits(result)
			e.do("st.param.b32", "["+resultName+"+0]", r)
		} else {
			e.store("param", resultName, result)
		}
	} else {
		// Any state space: a weak store without one.
		e.store("weak", e.long("ld.param.u64", "["+parameter(name, 0)+"+0]"), result)
		e.do("st.param.b32", "["+resultName+"+0]", e.word("mov.u32", "0"))
	}
	e.do("ret")
	text := fmt.Sprintf("(%s)\n{\n%s%s}\n", strings.Join(params, ", "), e.declarations(), e.body.String())
	return &Kernel{Name: name, before: commented(p) + ".visible .func (" + returned + ") ", text: text, calls: e.calls}, nil
}

const resultName = "func_retval0"

func parameter(name string, i int) string { return fmt.Sprintf("%s_param_%d", name, i) }

// widened reports whether a value is handed over as a word that is wider than it.
func widened(t tile.DType) bool { return t.Size() < 4 && t != tile.Float16 }

// passed declares a parameter.
func passed(t tile.DType, name string) string {
	switch {
	case widened(t):
		return ".param .b32 " + name
	case t == tile.Float16 || t.Is(tile.KindComplex):
		return fmt.Sprintf(".param .align %d .b8 %s[%d]", partSize(t), name, t.Size())
	}
	return fmt.Sprintf(".param .b%d %s", 8*t.Size(), name)
}

// callable says why a program cannot be a function by itself.
func callable(p *tile.Program) error {
	if p.Threads {
		return fmt.Errorf("it is a program of threads; want one of lanes")
	}
	stores := 0
	for i := range p.Code {
		switch op := p.Code[i].Op; {
		case op == tile.Store:
			stores++
		case op == tile.Gather || op == tile.Index || op == tile.Reduce || op == tile.Uniform:
			return fmt.Errorf("it has a %v; want what computes a number from numbers", op)
		}
	}
	if stores != 1 {
		return fmt.Errorf("it has %d results; want one", stores)
	}
	return nil
}
