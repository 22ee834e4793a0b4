package main

import (
	"fmt"
	"strings"

	"weft/arrays"
)

// methodText writes a method. Its arguments go to the parameters of the function that have
// the same names. One that the function lacks needs a row of the method's own (casting= of astype).
func methodText(constant string, f arrays.Func, params []arrays.Param) (string, error) {
	if len(params) == 0 {
		return "", fmt.Errorf("%s: a method needs a function with a parameter for the array", f.Name)
	}
	given := arrays.ParseParams(f.Method)
	params = renamed(params, given)
	var own []arrays.Param // the method's, with the function's defaults
	for _, p := range given {
		if g := byName(params, p.Name); g != nil {
			if p.Default != "" {
				p.Default = g.Default
			}
		} else if p.Name != "subok" {
			return "", fmt.Errorf("method %s(%s) has the parameter %s, which the function lacks: give the method a row of its own", f.Name, f.Method, p.Name)
		}
		own = append(own, p)
	}
	head := "self"
	if len(own) > 0 && own[0].Positional {
		head = "self, " + signature(own)
	} else if len(own) > 0 {
		head = "self, /, " + signature(own)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n    def %s(%s):\n%s", f.Name, head, docstring("        ", f.Name, f.Method, f.Doc))
	for _, p := range own {
		if p.Rest { // reshape(2, 3) and reshape((2, 3)) are the same
			otherwise := "" // the method needs an argument
			if g := byName(params, p.Name); g != nil && g.Default != "" {
				otherwise = g.Default
			}
			if otherwise == "" {
				fmt.Fprintf(&b, "        if not %s:\n            raise TypeError(\"%s() takes exactly 1 argument (0 given)\")\n", p.Name, f.Name)
				fmt.Fprintf(&b, "        if len(%s) == 1:\n            (%s,) = %s\n", p.Name, p.Name, p.Name)
				continue
			}
			fmt.Fprintf(&b, "        if len(%s) < 2:\n            %s = %s[0] if %s else %s\n", p.Name, p.Name, p.Name, p.Name, otherwise)
		}
	}
	fmt.Fprintf(&b, "        return _call(%s, self", constant)
	for _, p := range params[1:] {
		switch g := byName(own, p.Name); {
		case g != nil:
			b.WriteString(", " + p.Name)
		case p.Default == "":
			return "", fmt.Errorf("method %s(%s) has no argument for the parameter %s of the function", f.Name, f.Method, p.Name)
		default:
			b.WriteString(", _NoValue")
		}
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// renamed gives the function's required parameters the names that the method has for them:
// dot(a, b) is a.dot(other).
func renamed(params, given []arrays.Param) []arrays.Param {
	params = append([]arrays.Param{}, params...)
	for _, g := range given {
		if g.Default != "" || g.Rest || byName(params, g.Name) != nil {
			continue
		}
		for i := range params[1:] {
			if p := &params[1+i]; p.Default == "" && byName(given, p.Name) == nil {
				p.Name = g.Name
				break
			}
		}
	}
	return params
}

func byName(params []arrays.Param, name string) *arrays.Param {
	for i := range params {
		if params[i].Name == name {
			return &params[i]
		}
	}
	return nil
}
