package tile

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// Attr is a fixed number of a named routine, such as the axis of a sort. Its value is an
// int64 or a float64; numbers that vary from call to call are uniforms.
type Attr struct {
	Name  string
	Value Scalar
}

// Routines is what a device knows by name. The function looks at a program's parameters and
// attributes and returns the code for them, or an error that names what it does not take.
// The code may be called any number of times, concurrently.
type Routines map[string]func(p *Program) (Routine, error)

// Routine is the code of a named routine. What its input is at fault for is a *DataError.
type Routine func(c *Call) error

// Call is a launch as a routine sees it. The operands lie in memory that the routine may
// touch; what is written shares no byte with another operand.
type Call struct {
	Program  *Program
	Args     []Operand // one per parameter
	Uniforms []Scalar

	// Share runs work(0) to work(n-1), on as many of the device's idle cores as there are, and
	// returns when all have. It returns the error of the lowest number; after an error work
	// that has not started may be left out.
	Share func(n int, work func(i int) error) error

	// Reserve runs work with a number of cores, its own included and at most most, that no other
	// work of the device computes on until it returns. It is for code with threads of its own.
	Reserve func(most int, work func(cores int) error) error
}

// Operand is an array in memory.
type Operand struct {
	P       unsafe.Pointer // the element at index 0, 0, ...
	Type    DType
	Shape   []int
	Strides []int64 // bytes; may be negative, and 0 in inputs
}

// Elements returns the number of elements.
func (o *Operand) Elements() int {
	n := 1
	for _, s := range o.Shape {
		n *= s
	}
	return n
}

// Around splits a shape at an axis: how many points are before, along and behind it.
func Around(shape []int, axis int) (outer, n, inner int) {
	outer, n, inner = 1, shape[axis], 1
	for i, extent := range shape {
		switch {
		case i < axis:
			outer *= extent
		case i > axis:
			inner *= extent
		}
	}
	return outer, n, inner
}

// DataError says that a routine has no result for its data: a matrix is singular, an
// iteration does not converge. The text is NumPy's.
type DataError struct {
	Exception string // the Python exception: LinAlgError, ValueError
	Text      string
}

// Error returns the text alone: the exception is shown by whatever raises it.
func (e *DataError) Error() string { return e.Text }

// NewRoutine starts a program that is one named routine; parameters and uniforms are added
// to it as to others.
func NewRoutine(name, routine string, attrs ...Attr) *Builder {
	return &Builder{p: Program{Name: name, Routine: routine, Attrs: attrs}}
}

// IntAttr makes an attribute that is an integer.
func IntAttr(name string, value int64) Attr { return Attr{name, IntScalar(Int64, value)} }

// FloatAttr makes an attribute that is a float.
func FloatAttr(name string, value float64) Attr { return Attr{name, FloatScalar(Float64, value)} }

// Attr returns a routine's attribute, and whether it has it.
func (p *Program) Attr(name string) (Scalar, bool) {
	for i := range p.Attrs {
		if p.Attrs[i].Name == name {
			return p.Attrs[i].Value, true
		}
	}
	return Scalar{}, false
}

// Find returns the code for a program that is a named routine.
func (r Routines) Find(p *Program) (Routine, error) {
	prepare := r[p.Routine]
	if prepare == nil {
		return nil, fmt.Errorf("tile: program %s: there is no routine %q on this device; see the table of routines in cpu/", nameText(p.Name), p.Routine)
	}
	code, err := prepare(p)
	if err != nil {
		return nil, fmt.Errorf("tile: program %s: routine %s: %w", nameText(p.Name), p.Routine, err)
	}
	return code, nil
}

// Operands appends what a routine sees of a launch's bindings; address finds the start of
// a buffer.
func (l *Launch) Operands(dst []Operand, address func(b *Buffer) (unsafe.Pointer, error)) ([]Operand, error) {
	for i := range l.Args {
		b := &l.Args[i]
		p, err := address(&b.Buffer)
		if err != nil {
			return nil, launchError(l, "p%d: %w", i, err)
		}
		dst = append(dst, Operand{P: unsafe.Add(p, b.Offset), Type: l.Program.Params[i].Type, Shape: b.Shape, Strides: b.Strides})
	}
	return dst, nil
}

// Alone is Reserve on one core.
func Alone(_ int, work func(cores int) error) error { return work(1) }

// InOrder is Share on one core.
func InOrder(n int, work func(i int) error) error {
	for i := range n {
		if err := work(i); err != nil {
			return err
		}
	}
	return nil
}

// routineText is the line of a named routine: routine sort axis=1.
func (p *Program) routineText() string {
	var b strings.Builder
	b.WriteString("routine " + p.Routine)
	for _, a := range p.Attrs {
		text := a.Value.String()
		if a.Value.Type == Float64 && !strings.ContainsAny(text, ".en") { // inf and nan have an n
			text += ".0"
		}
		fmt.Fprintf(&b, " %s=%s", a.Name, text)
	}
	return b.String()
}

// routine reads what stands behind the word routine.
func (ps *parser) routine(f []string) error {
	if len(f) == 0 || !plainWord(f[0]) {
		return fmt.Errorf("want \"routine NAME [ATTRIBUTE=NUMBER ...]\"")
	}
	if ps.p.Routine != "" {
		return fmt.Errorf("second routine line; a program is one routine")
	}
	ps.p.Routine = f[0]
	for _, word := range f[1:] {
		name, text, ok := strings.Cut(word, "=")
		if !ok || !plainWord(name) {
			return fmt.Errorf("%q; want ATTRIBUTE=NUMBER", word)
		}
		t := Int64
		if digits := strings.TrimSuffix(text, ".0"); strings.ContainsAny(text, ".en") {
			t = Float64
			if _, err := strconv.Atoi(digits); err == nil {
				text = digits // the scalar's own spelling has no .0
			}
		}
		v, err := ParseScalar(t, text)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
		ps.p.Attrs = append(ps.p.Attrs, Attr{name, v})
	}
	return nil
}

// plainWord reports whether a name is letters, digits, dots and underscores.
func plainWord(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' {
			return false
		}
	}
	return name != ""
}

// routine checks a program that is a named routine.
func (c *checker) routine() error {
	p := c.p
	switch {
	case !plainWord(p.Routine):
		return c.errorf("routine %q; want a name of letters, digits, dots and underscores", p.Routine)
	case p.Rank != 0:
		return c.errorf("rank %d; a routine's operands have their own, want 0", p.Rank)
	case len(p.Code) != 0:
		return c.errorf("it has the routine %s and %d instructions; want one or the other", p.Routine, len(p.Code))
	}
	for i, a := range p.Attrs {
		if !plainWord(a.Name) {
			return c.errorf("attribute %q; want a name of letters, digits, dots and underscores", a.Name)
		}
		if a.Value.Type != Int64 && a.Value.Type != Float64 {
			return c.errorf("attribute %s is %v; want int64 or float64", a.Name, a.Value.Type)
		}
		for _, b := range p.Attrs[:i] {
			if a.Name == b.Name {
				return c.errorf("attribute %s stands there twice", a.Name)
			}
		}
	}
	for _, param := range p.Params {
		if param.Dir.Writes() {
			return nil
		}
	}
	return c.errorf("it has no output or update parameter, so that it computes nothing")
}

// checkCall checks a launch of a named routine: each operand has a shape of its own.
func checkCall(l *Launch) error {
	if len(l.Shape) != 0 || l.Block != nil || l.Reduced != 0 {
		return launchError(l, "shape %v, block %v, reduced %b; a routine's launch has none", l.Shape, l.Block, l.Reduced)
	}
	for i := range l.Args {
		b := &l.Args[i]
		for _, n := range b.Shape {
			if n < 1 {
				return launchError(l, "p%d has shape %v; want operands with elements", i, b.Shape)
			}
		}
		if len(b.Strides) != len(b.Shape) {
			return launchError(l, "p%d has strides %v; want one per axis of its shape %v", i, b.Strides, b.Shape)
		}
		if err := checkExtent(l, i, b.Shape, false); err != nil {
			return err
		}
	}
	return nil
}
