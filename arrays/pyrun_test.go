package arrays_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// interp runs the conformance cases' Python on package arrays. Its values are
// arrays.Value; functions and dtypes are recognised by name.
type interp struct {
	c     *arrays.Context
	table map[string]arrays.Func
	meth  map[string]arrays.Func
	vars  map[string]arrays.Value
	owned []*arrays.Array
}

func newInterp(t testing.TB, r arrays.Runtime) *interp {
	in := &interp{c: arrays.New(r), table: map[string]arrays.Func{}, meth: map[string]arrays.Func{}, vars: map[string]arrays.Value{}}
	in.c.Exact = true
	for _, f := range arrays.Functions() {
		old, twice := in.table[f.Name]
		if twice && (old.Params == "") == (f.Params == "") {
			t.Errorf("two rows for %s", f.Name)
		}
		if !twice || f.Params != "" {
			in.table[f.Name] = f
		}
		if f.Method != "" {
			in.meth[f.Name] = f
		}
	}
	return in
}

// free frees every array that the case made.
func (in *interp) free() {
	for _, a := range in.owned {
		a.Free()
	}
}

func (in *interp) own(v arrays.Value) arrays.Value {
	if v.Kind == arrays.ArrayValue && v.Array != nil {
		in.owned = append(in.owned, v.Array)
	}
	for _, it := range v.Items {
		in.own(it)
	}
	return v
}

func (in *interp) array(a *arrays.Array, err error) (arrays.Value, error) {
	if err != nil {
		return arrays.Value{}, err
	}
	return in.own(arrays.Of(a)), nil
}

var binaryUfuncs = map[string]arrays.Ufunc{
	"+": arrays.Add, "-": arrays.Subtract, "*": arrays.Multiply, "/": arrays.Divide, "//": arrays.FloorDivide,
	"%": arrays.Remainder, "**": arrays.Power, "==": arrays.Equal, "!=": arrays.NotEqual, "<": arrays.Less,
	"<=": arrays.LessEqual, ">": arrays.Greater, ">=": arrays.GreaterEqual, "&": arrays.BitwiseAnd,
	"|": arrays.BitwiseOr, "^": arrays.BitwiseXor, "<<": arrays.LeftShift, ">>": arrays.RightShift,
}

// run executes one line; it returns the value of an expression statement.
func (in *interp) run(line string) (arrays.Value, bool, error) {
	s, err := parseStatement(line)
	if err != nil {
		return arrays.Value{}, false, fmt.Errorf("test: %w", err)
	}
	v, err := in.eval(s.value)
	if err != nil || s.target == nil {
		return v, s.target == nil, err
	}
	if s.op != "" {
		old, err := in.eval(s.target)
		if err != nil {
			return v, false, err
		}
		if old.Kind == arrays.ArrayValue && !old.Array.Scalar {
			if err := in.c.InPlace(binaryUfuncs[s.op], old.Array, v); err != nil {
				return v, false, err
			}
			v = old
		} else if v, err = in.array(in.c.Binary(binaryUfuncs[s.op], old, v)); err != nil {
			return v, false, err
		}
		if s.target.op != "index" {
			return v, false, nil
		}
	}
	switch s.target.op {
	case "name":
		in.vars[s.target.text] = v
	case "index":
		of, err := in.eval(s.target.args[0])
		if err != nil {
			return v, false, err
		}
		index, err := in.eval(s.target.args[1])
		if err != nil {
			return v, false, err
		}
		if v.Kind == arrays.TupleValue {
			if v, err = in.literal(v, tile.Invalid); err != nil {
				return v, false, err
			}
		}
		return v, false, in.c.SetItem(of.Array, index, v)
	case "tuple":
		for i, t := range s.target.args {
			in.vars[t.text] = v.Items[i]
		}
	default:
		return v, false, fmt.Errorf("test: cannot assign to %s", s.target.op)
	}
	return v, false, nil
}

func (in *interp) eval(n *node) (arrays.Value, error) {
	none := arrays.Value{Kind: arrays.None}
	if n == nil {
		return none, nil
	}
	switch n.op {
	case "num":
		return number(n.text)
	case "str":
		return arrays.String(n.text), nil
	case "ellipsis":
		return arrays.Value{Kind: arrays.EllipsisValue}, nil
	case "name":
		switch n.text {
		case "None":
			return none, nil
		case "True", "False":
			return arrays.Bool(n.text == "True"), nil
		case "int":
			return arrays.DTypeOf(tile.Int64), nil
		case "float":
			return arrays.DTypeOf(tile.Float64), nil
		case "complex":
			return arrays.DTypeOf(tile.Complex128), nil
		case "bool":
			return arrays.DTypeOf(tile.Bool), nil
		}
		v, ok := in.vars[n.text]
		if !ok {
			return v, fmt.Errorf("test: no variable %s", n.text)
		}
		return v, nil
	case "tuple", "list", "slice":
		items, err := in.evalAll(n.args)
		kind := arrays.TupleValue
		if n.op == "slice" {
			kind = arrays.SliceValue
		}
		return arrays.Value{Kind: kind, Items: items}, err
	case "attr":
		return in.attr(n)
	case "call":
		return in.call(n)
	}
	args, err := in.evalAll(n.args)
	if err != nil {
		return args[0], err
	}
	switch n.op {
	case "index":
		if n.args[1].op == "list" {
			if args[1], err = in.literal(args[1], tile.Invalid); err != nil {
				return args[1], err
			}
		}
		return in.array(in.c.GetItem(args[0].Array, args[1]))
	case "@":
		return in.array(in.c.Matmul(args[0], args[1]))
	case "neg", "pos", "not":
		if args[0].Kind != arrays.ArrayValue {
			return negated(n.op, args[0]), nil
		}
		u := map[string]arrays.Ufunc{"neg": arrays.Negative, "pos": arrays.Positive, "not": arrays.Invert}[n.op]
		return in.array(in.c.Unary(u, args[0]))
	}
	if args[0].Kind != arrays.ArrayValue && args[1].Kind != arrays.ArrayValue {
		return pythonOperator(n.op, args[0], args[1])
	}
	return in.array(in.c.Binary(binaryUfuncs[n.op], args[0], args[1]))
}

// negated is the sign of a Python number.
func negated(op string, v arrays.Value) arrays.Value {
	if op == "neg" {
		v.Int, v.Float, v.Complex = -v.Int, -v.Float, -v.Complex
	}
	return v
}

// pythonOperator is what the cases need of Python's own numbers.
func pythonOperator(op string, x, y arrays.Value) (arrays.Value, error) {
	switch {
	case op == "**" && x.Kind == arrays.IntValue && y.Int == 63:
		return arrays.Value{Kind: arrays.UintValue, Int: math.MinInt64}, nil
	case op == "**" && x.Kind == arrays.IntValue:
		return arrays.Int(int64(math.Pow(float64(x.Int), float64(y.Int)))), nil
	case op == "+":
		return arrays.Complex(toComplex(x) + toComplex(y)), nil
	case op == "-":
		return arrays.Complex(toComplex(x) - toComplex(y)), nil
	}
	return x, fmt.Errorf("test: no operator %s of Python numbers", op)
}

func toComplex(v arrays.Value) complex128 {
	if v.Kind == arrays.ComplexValue {
		return v.Complex
	}
	return complex(v.Float+float64(v.Int), 0)
}

func (in *interp) evalAll(nodes []*node) ([]arrays.Value, error) {
	items := make([]arrays.Value, max(len(nodes), 1))
	for i, a := range nodes {
		var err error
		if items[i], err = in.eval(a); err != nil {
			return items, err
		}
	}
	return items[:len(nodes)], nil
}

func number(text string) (arrays.Value, error) {
	if im, ok := strings.CutSuffix(text, "j"); ok {
		f, err := strconv.ParseFloat(im, 64)
		return arrays.Complex(complex(0, f)), err
	}
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return arrays.Int(i), nil
	}
	if u, err := strconv.ParseUint(text, 0, 64); err == nil {
		return arrays.Value{Kind: arrays.UintValue, Int: int64(u)}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return arrays.Float(f), err
}

func (in *interp) attr(n *node) (arrays.Value, error) {
	if of := n.args[0]; of.op == "name" && of.text == "np" {
		switch n.text {
		case "newaxis":
			return arrays.Value{Kind: arrays.None}, nil
		case "nan":
			return arrays.Float(math.NaN()), nil
		case "inf":
			return arrays.Float(math.Inf(1)), nil
		case "pi":
			return arrays.Float(math.Pi), nil
		}
		t, err := tile.ParseDType(strings.TrimSuffix(n.text, "_"))
		return arrays.DTypeOf(t), err
	}
	v, err := in.eval(n.args[0])
	if err != nil {
		return v, err
	}
	a := v.Array
	switch n.text {
	case "T":
		return in.array(a.T())
	case "real":
		return in.array(a.Real())
	case "imag":
		return in.array(a.Imag())
	case "shape":
		return arrays.Ints(a.Shape()...), nil
	case "strides":
		items := []arrays.Value{}
		for _, s := range a.Strides() {
			items = append(items, arrays.Int(s))
		}
		return arrays.Tuple(items...), nil
	case "size":
		return arrays.Int(int64(a.Size())), nil
	case "ndim":
		return arrays.Int(int64(a.Ndim())), nil
	case "dtype":
		return arrays.DTypeOf(a.DType()), nil
	}
	return v, fmt.Errorf("test: no attribute %s", n.text)
}

func (in *interp) call(n *node) (arrays.Value, error) {
	f := n.args[0]
	args, err := in.evalAll(n.args[1:])
	if err != nil {
		return arrays.Value{}, err
	}
	if f.op == "name" && f.text == "str" {
		text, err := args[0].Array.Text(nil)
		return arrays.String(text), err
	}
	if f.op == "name" && f.text == "rng" {
		return arrays.Tuple(args...), nil
	}
	if f.op != "attr" {
		return arrays.Value{}, fmt.Errorf("test: cannot call %s", f.op)
	}
	name, base := f.text, f.args[0]
	for ; base.op == "attr"; base = base.args[0] {
		name = base.text + "." + name
	}
	if base.op == "name" && base.text == "np" {
		if t, err := tile.ParseDType(strings.TrimSuffix(name, "_")); err == nil {
			v, err := in.literal(args[0], t)
			if err == nil {
				v.Array.Scalar = v.Array.Ndim() == 0
			}
			return v, err
		}
		row, ok := in.table[name]
		if !ok || row.Params == "" {
			return arrays.Value{}, &arrays.Fallback{Why: name}
		}
		return in.invoke(row, row.Params, nil, args, n.names)
	}
	self, err := in.eval(f.args[0])
	if err != nil {
		return self, err
	}
	row, ok := in.meth[f.text]
	if !ok {
		return self, &arrays.Fallback{Why: "method " + f.text}
	}
	return in.invoke(row, row.Method, &self, args, n.names)
}

// invoke binds arguments to parameters as a language binding does.
func (in *interp) invoke(row arrays.Func, signature string, self *arrays.Value, args []arrays.Value, names []string) (arrays.Value, error) {
	params := arrays.ParseParams(signature)
	var values []arrays.Value
	if self != nil {
		values = append(values, *self)
	}
	lead := len(values)
	own := arrays.ParseParams(row.Params)
	values = append(values, make([]arrays.Value, max(len(params), len(own)))...)
	// An argument of a method goes to the parameter of the function that has its name.
	at := func(i int) int {
		if j := slices.IndexFunc(own, func(p arrays.Param) bool { return p.Name == params[i].Name }); self != nil && j >= 0 {
			return j
		}
		return lead + i
	}
	positional := args[:len(args)-len(names)]
	for i, v := range positional {
		if i < len(params) && params[i].Rest {
			values[at(i)] = arrays.Tuple(positional[i:]...)
			break
		}
		if i >= len(params) || params[i].Keyword {
			return arrays.Value{}, fmt.Errorf("test: too many arguments for %s", row.Name)
		}
		values[at(i)] = v
	}
	for k, name := range names {
		i := slices.IndexFunc(params, func(p arrays.Param) bool { return p.Name == name })
		if i < 0 {
			return arrays.Value{}, fmt.Errorf("test: %s has no parameter %s", row.Name, name)
		}
		values[at(i)] = args[len(positional)+k]
	}
	// Lists of numbers become arrays wherever an array is asked for, that is: as the first
	// arguments of the functions that the cases call with lists.
	if row.Name == "array" || row.Name == "asarray" {
		if values[0].Kind == arrays.TupleValue {
			t := tile.Invalid
			if values[1].Kind == arrays.DTypeValue {
				t = values[1].DType
			}
			return in.literal(values[0], t)
		}
	}
	v, err := row.Call(in.c, values)
	if err != nil {
		return v, err
	}
	if v.Kind == arrays.ArrayValue && slices.ContainsFunc(values, func(a arrays.Value) bool { return a.Array == v.Array }) {
		return v, nil
	}
	return in.own(v), nil
}

// literal packs nested lists of Python numbers, as the binding does through NumPy.
func (in *interp) literal(v arrays.Value, t tile.DType) (arrays.Value, error) {
	var shape []int
	for x := v; x.Kind == arrays.TupleValue; x = x.Items[0] {
		shape = append(shape, len(x.Items))
		if len(x.Items) == 0 {
			break
		}
	}
	var flat []arrays.Value
	var walk func(x arrays.Value)
	walk = func(x arrays.Value) {
		if x.Kind == arrays.TupleValue {
			for _, it := range x.Items {
				walk(it)
			}
			return
		}
		flat = append(flat, x)
	}
	walk(v)
	if t == tile.Invalid {
		t = tile.Bool
		for _, x := range flat {
			t = max(t, map[arrays.ValueKind]tile.DType{arrays.BoolValue: tile.Bool, arrays.IntValue: tile.Int64,
				arrays.UintValue: tile.Uint64, arrays.FloatValue: tile.Float64, arrays.ComplexValue: tile.Complex128}[x.Kind])
		}
		if len(flat) == 0 {
			t = tile.Float64
		}
	}
	var data []byte
	for _, x := range flat {
		f := x.Float
		switch x.Kind {
		case arrays.ComplexValue:
			f = real(x.Complex)
		case arrays.IntValue, arrays.BoolValue:
			f = float64(x.Int)
		}
		var s tile.Scalar
		switch {
		case t == tile.Bool:
			s = tile.BoolScalar(f != 0)
		case t.Is(tile.KindInt | tile.KindUint):
			s = tile.IntScalar(t, x.Int+int64(x.Float))
		case t.Is(tile.KindFloat):
			s = tile.FloatScalar(t, f)
		default:
			s = tile.ComplexScalar(t, complex(f, imag(x.Complex)))
		}
		for i := range t.Size() {
			data = append(data, byte(s.Bits[i/8]>>(i%8*8)))
		}
	}
	return in.array(in.c.FromBytes(t, shape, data))
}
