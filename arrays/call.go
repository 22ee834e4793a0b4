package arrays

import (
	"errors"

	"weft/scheduler"
	"weft/tile"
)

// call is a call of a named routine under construction: operands in the order of the
// routine's parameters. All must have elements: results of no elements are the caller's.
type call struct {
	c     *Context
	b     *tile.Builder
	key   []byte // names the program: the routine, its attributes, directions and dtypes
	uses  []scheduler.Use
	given []tile.Scalar
	tells string // what NumPy calls it where it tells what went wrong; "" where it does not
	rule  tile.Rule
}

// routine begins a call.
func (c *Context) routine(routine string, attrs ...tile.Attr) *call {
	k := &call{c: c, b: tile.NewRoutine(routine, routine, attrs...), key: []byte(routine)}
	for _, a := range attrs {
		k.key = append(k.key, " "+a.Name+"="+a.Value.Type.String()+a.Value.String()...)
	}
	return k
}

// in adds an input. It may be any view.
func (k *call) in(v scheduler.View) *call {
	k.b.Param(tile.In, v.Type)
	k.key = append(k.key, 'r', byte(v.Type))
	k.uses = append(k.uses, scheduler.Use{View: v})
	return k
}

// out adds an output, which shares no byte with any other operand.
func (k *call) out(a *Array) *call {
	k.b.Param(tile.Out, a.view.Type)
	k.key = append(k.key, 'w', byte(a.view.Type))
	k.uses = append(k.uses, scheduler.Use{View: a.view, Access: scheduler.Write})
	return k
}

// update adds an operand that is changed in place, which shares no byte with any other.
func (k *call) update(a *Array) *call {
	k.b.Param(tile.Update, a.view.Type)
	k.key = append(k.key, 'u', byte(a.view.Type))
	k.uses = append(k.uses, scheduler.Use{View: a.view, Access: scheduler.Update})
	return k
}

// uniform adds a number that varies from call to call.
func (k *call) uniform(v tile.Scalar) *call {
	k.b.Uniform(v.Type)
	k.key = append(k.key, 's', byte(v.Type))
	k.given = append(k.given, v)
	return k
}

// running says that the call is of running sums, or products, of its first operand in the second, of which NumPy tells
// what went wrong.
func (k *call) running() *call {
	return k.telling("accumulate", tile.Running)
}

// telling says how it is found what went wrong in the call, of which NumPy tells by a name.
func (k *call) telling(name string, rule tile.Rule) *call {
	k.tells, k.rule = name, rule
	return k
}

// submit makes the op; name is what the user called.
func (k *call) submit(name string) error {
	p := k.c.routines[string(k.key)]
	if p == nil {
		if k.tells != "" {
			k.b.Watch(k.rule, tile.NoValue, tile.NoValue, tile.NoValue)
		}
		p = k.b.Program()
		k.c.routines[string(k.key)] = p
	}
	op := &scheduler.Op{
		Kind: scheduler.Call, Name: name, Shape: []int{}, Program: p, Uses: k.uses, Uniforms: k.given, Where: k.c.where, Tells: k.tells,
	}
	if k.tells != "" {
		op.Wanted = k.c.wanted
	}
	return dataError(k.c.submit(op))
}

// settle waits until an array has its value, so that what its data is at fault for is raised
// at the call, where the program may expect it.
func (c *Context) settle(a *Array) error {
	if a.size == 0 {
		return nil
	}
	first := a.view
	first.Shape, first.Strides = nil, nil
	return dataError(c.rt.Read(first, make([]byte, a.view.Type.Size()), c.Stop))
}

// dataError turns the failure of a routine into NumPy's exception, without the place: it is
// raised there.
func dataError(err error) error {
	var fault *tile.DataError
	if errors.As(err, &fault) {
		return &Error{fault.Exception, fault.Text}
	}
	return err
}
