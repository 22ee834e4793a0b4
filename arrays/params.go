package arrays

import "strings"

// Param is one parameter of a function's signature.
type Param struct {
	Name       string
	Default    string // Python text; empty when the argument is required
	Keyword    bool   // only by name
	Positional bool   // only by position
	Rest       bool   // *name: takes the remaining positional arguments as one Tuple
}

// ParseParams takes the Params or Method text of a Func apart. "()" and "" have none.
func ParseParams(text string) []Param {
	if text == "" || text == "()" {
		return nil
	}
	var params []Param
	keyword := false
	for _, part := range splitParams(text) {
		switch {
		case part == "/":
			for i := range params {
				params[i].Positional = true
			}
		case part == "*":
			keyword = true
		case strings.HasPrefix(part, "*"):
			params = append(params, Param{Name: part[1:], Rest: true})
			keyword = true
		default:
			name, otherwise, _ := strings.Cut(part, "=")
			params = append(params, Param{Name: name, Default: otherwise, Keyword: keyword})
		}
	}
	return params
}

// splitParams splits at the commas that are not inside of parentheses.
func splitParams(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// Keyword is a keyword argument of Context.Call.
type Keyword struct {
	Name  string
	Value any
}

// Call calls a function of the table by NumPy's name, for Go programs: the arguments are
// anything that ValueOf takes, Keywords last. It returns the single array that most
// functions return; see CallValue for the others.
func (c *Context) Call(name string, args ...any) (*Array, error) {
	v, err := c.CallValue(name, args...)
	if err != nil {
		return nil, err
	}
	if v.Kind != ArrayValue {
		return nil, errorf("TypeError", "weft: %s does not return one array; use CallValue", name)
	}
	return v.Array, nil
}

// CallValue is Call for functions that return tuples or plain values.
func (c *Context) CallValue(name string, args ...any) (Value, error) {
	f := c.lookup(name)
	if f == nil {
		return Value{}, &Fallback{"numpy." + name}
	}
	params := ParseParams(f.Params)
	if f.Params == "" {
		params = append([]Param{{Name: "self", Positional: true}}, ParseParams(f.Method)...)
	}
	values := make([]Value, len(params))
	at := 0
	for _, arg := range args {
		slot := at
		k, named := arg.(Keyword)
		if named {
			slot = -1
			for i, p := range params {
				if p.Name == k.Name && !p.Positional {
					slot = i
				}
			}
			if slot < 0 {
				return Value{}, errorf("TypeError", "%s() got an unexpected keyword argument '%s'", name, k.Name)
			}
			arg = k.Value
		} else if at >= len(params) || params[at].Keyword {
			return Value{}, errorf("TypeError", "%s() takes at most %d positional arguments", name, at)
		}
		v, err := ValueOf(arg)
		if err != nil {
			return Value{}, err
		}
		if !named && params[at].Rest {
			values[at].Kind = TupleValue
			values[at].Items = append(values[at].Items, v)
			continue
		}
		values[slot] = v
		if !named {
			at++
		}
	}
	for i, p := range params {
		if values[i].Kind == Missing && p.Default == "" && !p.Rest {
			return Value{}, errorf("TypeError", "%s() missing required argument '%s' (pos %d)", name, p.Name, i+1)
		}
	}
	return f.Call(c, values)
}

// lookup finds a function by name; nil when it is not native. The table is made the first
// time.
func (c *Context) lookup(name string) *Func {
	if c.byName == nil {
		table := Functions()
		c.byName = make(map[string]*Func, len(table))
		for i := range table {
			if f := &table[i]; f.Params != "" || c.byName[f.Name] == nil {
				c.byName[f.Name] = f // a method's row only where there is no function
			}
		}
	}
	return c.byName[name]
}
