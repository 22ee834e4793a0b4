package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file is a simulator of the PTX that the package emits, thread by thread and warp by
// warp, so that the text can be held against the reference device without a GPU. It knows
// the instructions that are emitted and refuses all others.

// simModule is a parsed module.
type simModule struct {
	functions map[string]*simFunction
	constants map[string][]byte
}

// simFunction is a kernel or a library function. Registers are numbers into a frame, and so are literals and special
// registers, which a frame has from its start.
type simFunction struct {
	name     string
	regs     map[string]int
	literals map[string]int
	special  map[string]int
	start    []uint64 // a frame
	params   []int    // registers of arguments
	result   int
	code     []simInstr
	labels   map[string]int
	shared   int // bytes that a block's threads share
	isEntry  bool
}

// simInstr is one instruction: a step that returns the next position, or one of the signals.
type simInstr struct {
	text string
	step func(t *simThread, r []uint64) int
}

// Signals in place of a position.
const (
	simNext   = -1
	simReturn = -2
	simWait   = -3 // at a shuffle or a barrier
)

// simThread is one thread.
type simThread struct {
	m                      *simMachine
	ctaid, ctaidY          uint64
	tid, ntid, grid, gridY uint64
	params                 []byte
	frame                  []uint64
	stack                  []uint64 // frames of library functions
	pc                     int
	done                   bool
	shuffle                *simShuffle
	steps                  int // since the thread last looked whether it is to stop
}

type simShuffle struct {
	dst, by int
	value   uint64
}

// simMachine is the memory: buffer i starts at (i+1)<<32.
type simMachine struct {
	memory func(address uint64, n int) []byte
	module *simModule
	shared []byte // the block's
}

type simFault struct{ text string }

func fault(format string, args ...any) { panic(simFault{fmt.Sprintf(format, args...)}) }

// launch runs a kernel over a grid of blocks.
func (m *simMachine) launch(entry string, grid [2]int, threads int, words []uint64) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case simFault:
			err = fmt.Errorf("simulator: %s", f.text)
		default:
			panic(f)
		}
	}()
	fn := m.module.functions[entry]
	if fn == nil || !fn.isEntry {
		return fmt.Errorf("simulator: no entry %s", entry)
	}
	params := make([]byte, 8*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint64(params[8*i:], w)
	}
	for block := range grid[0] * grid[1] {
		m.shared = make([]byte, fn.shared)
		var warps [][]*simThread
		for warp := 0; warp < threads; warp += 32 {
			var lanes []*simThread
			for i := range 32 {
				t := &simThread{m: m, ctaid: uint64(block % grid[0]), ctaidY: uint64(block / grid[0]), tid: uint64(warp + i), ntid: uint64(threads),
					grid: uint64(grid[0]), gridY: uint64(grid[1]), params: params, frame: slices.Clone(fn.start)}
				for name, at := range fn.special {
					t.frame[at] = specialRegisters[name](t)
				}
				lanes = append(lanes, t)
			}
			warps = append(warps, lanes)
		}
		for waiting := len(warps); waiting > 0; {
			waiting = 0
			for _, lanes := range warps {
				if runWarp(fn, lanes) {
					waiting++
				}
			}
			if waiting > 0 && waiting != len(warps) {
				fault("%s: %d of %d warps at a barrier of all", fn.name, waiting, len(warps))
			}
		}
	}
	return nil
}

// runWarp lets each lane run to the next shuffle, exchanges the values, and so on, until all are done or at a barrier,
// which it reports.
func runWarp(fn *simFunction, lanes []*simThread) (barrier bool) {
	for {
		waiting, barriers := 0, 0
		for _, t := range lanes {
			if t.done {
				continue
			}
			t.shuffle = nil
			t.run(fn)
			if t.done {
				continue
			}
			if waiting++; t.shuffle == nil {
				barriers++
			}
		}
		if waiting == 0 {
			return false
		}
		if waiting != len(lanes) || barriers > 0 && barriers != len(lanes) {
			fault("%s: %d of %d lanes at a shuffle or barrier of the whole warp", fn.name, waiting, len(lanes))
		}
		for _, t := range lanes {
			if t.pc != lanes[0].pc {
				fault("%s: lanes at different shuffles or barriers", fn.name)
			}
		}
		if barriers > 0 {
			return true
		}
		for l, t := range lanes {
			from := l + t.shuffle.by
			if from >= len(lanes) {
				from = l
			}
			t.frame[t.shuffle.dst] = lanes[from].shuffle.value
		}
	}
}

// maxSteps is what a thread may do before it counts as caught in a loop.
const maxSteps = 10_000_000

func (t *simThread) run(fn *simFunction) {
	for t.steps = 0; t.steps < maxSteps; t.steps++ {
		if t.pc >= len(fn.code) {
			fault("%s: ran off the end", fn.name)
		}
		in := &fn.code[t.pc]
		next := in.step(t, t.frame)
		switch next {
		case simNext:
			t.pc++
		case simReturn:
			t.done = true
			return
		case simWait:
			t.pc++
			return
		default:
			t.pc = next
		}
	}
	fault("%s: endless loop", fn.name)
}

// call runs a library function to its end.
func (t *simThread) call(fn *simFunction, args []uint64) uint64 {
	base := len(t.stack)
	t.stack = append(t.stack, fn.start...)
	frame := t.stack[base:]
	for i, a := range args {
		frame[fn.params[i]] = a
	}
	pc := 0
	for range maxSteps {
		in := &fn.code[pc]
		switch next := in.step(t, frame); next {
		case simNext:
			pc++
		case simReturn:
			t.stack = t.stack[:base]
			return frame[fn.result]
		case simWait:
			fault("%s: a shuffle in a function", fn.name)
		default:
			pc = next
		}
	}
	fault("%s: endless loop", fn.name)
	return 0
}

// parseModule reads a module's text.
func parseModule(text string) (m *simModule, err error) {
	m = &simModule{functions: map[string]*simFunction{}, constants: map[string][]byte{}}
	defer func() {
		if f, ok := recover().(simFault); ok {
			err = fmt.Errorf("simulator: %s", f.text)
		}
	}()
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := clean(lines[i])
		switch {
		case line == "" || strings.HasPrefix(line, ".version") || strings.HasPrefix(line, ".target") || line == ".address_size 64":
		case strings.HasPrefix(line, ".const"):
			name, _, _ := strings.Cut(strings.Fields(line)[4], "[")
			var data []byte
			for i++; clean(lines[i]) != "};"; i++ {
				v, e := strconv.ParseUint(strings.TrimSuffix(clean(lines[i]), ","), 0, 64)
				if e != nil {
					fault("constant: %v", e)
				}
				data = binary.LittleEndian.AppendUint64(data, v)
			}
			m.constants[name] = data
		case strings.HasPrefix(line, ".func"), strings.HasPrefix(line, ".visible .entry"):
			fn := &simFunction{regs: map[string]int{}, literals: map[string]int{}, special: map[string]int{}, labels: map[string]int{}}
			fn.header(line)
			for clean(lines[i]) != "{" {
				i++
			}
			start := i + 1
			for clean(lines[i]) != "}" {
				i++
			}
			fn.parse(m, lines[start:i])
			m.functions[fn.name] = fn
		default:
			fault("unexpected line %q", line)
		}
	}
	return m, nil
}

func clean(line string) string {
	line, _, _ = strings.Cut(line, "//")
	return strings.TrimSpace(line)
}

func (fn *simFunction) header(line string) {
	fn.isEntry = strings.HasPrefix(line, ".visible")
	if fn.isEntry {
		fn.name = strings.Fields(line)[2]
		return
	}
	before, after, _ := strings.Cut(line, ")")
	fn.result = fn.define(before[strings.LastIndex(before, "%"):])
	name, params, _ := strings.Cut(strings.TrimSpace(after), "(")
	fn.name = strings.TrimSpace(name)
	for p := range strings.SplitSeq(strings.TrimSuffix(params, ")"), ",") {
		fn.params = append(fn.params, fn.define(p[strings.LastIndex(p, "%"):]))
	}
}

func (fn *simFunction) define(name string) int { return fn.place(fn.regs, name, 0) }

// place returns where something of a kind lies in frames: what is new, behind all others.
func (fn *simFunction) place(kind map[string]int, name string, v uint64) int {
	i, ok := kind[name]
	if !ok {
		i = len(fn.start)
		fn.start = append(fn.start, v)
		kind[name] = i
	}
	return i
}

func (fn *simFunction) parse(m *simModule, lines []string) {
	var texts []string
	for _, l := range lines {
		l = clean(l)
		switch {
		case l == "":
		case strings.HasPrefix(l, ".shared"):
			if _, err := fmt.Sscanf(l, ".shared .align 16 .b8 weft_tiles[%d];", &fn.shared); err != nil {
				fault("declaration %q", l)
			}
		case strings.HasPrefix(l, ".reg"):
			f := strings.Fields(l) // .reg .f64 %d<12>;
			name, n, _ := strings.Cut(strings.TrimSuffix(f[2], ">;"), "<")
			count, err := strconv.Atoi(n)
			if err != nil {
				fault("declaration %q", l)
			}
			for i := range count {
				fn.define(fmt.Sprintf("%s%d", name, i))
			}
		case strings.HasSuffix(l, ":"):
			fn.labels[strings.TrimSuffix(l, ":")] = len(texts)
		default:
			if !strings.HasSuffix(l, ";") {
				fault("no semicolon: %q", l)
			}
			texts = append(texts, strings.TrimSuffix(l, ";"))
		}
	}
	for _, text := range texts {
		fn.code = append(fn.code, fn.instr(m, text))
	}
}

// instr parses one instruction, its guard included.
func (fn *simFunction) instr(m *simModule, text string) simInstr {
	guard := -1
	rest := text
	if strings.HasPrefix(rest, "@") {
		g, after, _ := strings.Cut(rest[1:], " ")
		guard, rest = fn.reg(g), after
	}
	op, operands, _ := strings.Cut(rest, " ")
	step := simStep(fn, m, strings.Split(op, "."), splitOperands(operands))
	if step == nil {
		fault("unknown instruction %q", text)
	}
	if guard >= 0 {
		plain := step
		step = func(t *simThread, r []uint64) int {
			if r[guard] == 0 {
				return simNext
			}
			return plain(t, r)
		}
	}
	return simInstr{text, step}
}

// reg finds a declared register.
func (fn *simFunction) reg(name string) int {
	i, ok := fn.regs[name]
	if !ok {
		fault("%s: register %q is not declared", fn.name, name)
	}
	return i
}

// splitOperands splits at commas outside brackets.
func splitOperands(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		out = append(out, last)
	}
	return out
}

// specialRegisters are what only kernels read.
var specialRegisters = map[string]func(t *simThread) uint64{
	"%ctaid.x":  func(t *simThread) uint64 { return t.ctaid },
	"%ctaid.y":  func(t *simThread) uint64 { return t.ctaidY },
	"%nctaid.x": func(t *simThread) uint64 { return t.grid },
	"%nctaid.y": func(t *simThread) uint64 { return t.gridY },
	"%tid.x":    func(t *simThread) uint64 { return t.tid },
	"%ntid.x":   func(t *simThread) uint64 { return t.ntid },
}

// operand returns where a source lies in a frame: a register, a literal, a special register.
func (fn *simFunction) operand(s string) int {
	if specialRegisters[s] != nil {
		if !fn.isEntry {
			fault("%s: %s in a function", fn.name, s)
		}
		return fn.place(fn.special, s, 0)
	}
	if strings.HasPrefix(s, "%") {
		return fn.reg(s)
	}
	var v uint64
	var err error
	switch {
	case s == "weft_tiles": // shared memory begins with it
	case strings.HasPrefix(s, "0f"):
		v, err = strconv.ParseUint(s[2:], 16, 32)
	case strings.HasPrefix(s, "0d"):
		v, err = strconv.ParseUint(s[2:], 16, 64)
	case strings.HasPrefix(s, "-"):
		var i int64
		i, err = strconv.ParseInt(s, 10, 64)
		v = uint64(i)
	default:
		v, err = strconv.ParseUint(s, 0, 64)
	}
	if err != nil {
		fault("operand %q: %v", s, err)
	}
	return fn.place(fn.literals, s, v)
}

// address parses "[%l1+8]" or "[block+8]".
func (fn *simFunction) address(s string) (base string, offset int) {
	b, o, ok := strings.Cut(strings.Trim(s, "[]"), "+")
	if !ok {
		fault("address %q", s)
	}
	offset, err := strconv.Atoi(o)
	if err != nil {
		fault("address %q", s)
	}
	return b, offset
}

// simWidth is the bytes of a PTX type.
func simWidth(typ string) int {
	n, err := strconv.Atoi(typ[1:])
	if err != nil {
		fault("type %q", typ)
	}
	return n / 8
}

// mask keeps the bits of a type of so many bytes.
func mask(width int) uint64 {
	if width >= 8 {
		return math.MaxUint64
	}
	return 1<<(8*width) - 1
}

// extend sign-extends a value of so many bytes.
func extend(v uint64, width int) int64 {
	shift := uint(64 - 8*width)
	return int64(v<<shift) >> shift
}

func single(v uint64) float64   { return float64(math.Float32frombits(uint32(v))) }
func toSingle(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
func double(v uint64) float64   { return math.Float64frombits(v) }
func toDouble(v float64) uint64 { return math.Float64bits(v) }
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fmaSingle is a fused multiply-add of float32 values: the exact product, and a sum rounded to
// odd, which the rounding to float32 then makes right.
func fmaSingle(a, b, c float64) float64 {
	p := a * b
	s := p + c
	v := s - p
	err := (p - (s - v)) + (c - v)
	if err != 0 && !math.IsInf(s, 0) && err == err {
		bits := math.Float64bits(s)
		if bits&1 == 0 {
			if (err > 0) == (s > 0) {
				bits++
			} else {
				bits--
			}
			s = math.Float64frombits(bits)
		}
	}
	return s
}
