package ptx

import (
	"fmt"
	"strings"
)

// function is one row of the library.
type function struct {
	name  string
	args  int
	build func(f fp, a []string) string

	// inline functions are written out where they are called: the assembler does not inline
	// by itself. The others are functions of the module, which it contains when they are called.
	inline bool
	data   string // declarations at module level
}

// library returns the table. Functions may call those above them, never those below: the
// text is in this order.
func library() []function {
	return []function{
		{name: "weft_exp_f64", args: 1, build: unaryFunction(expDouble), inline: true},
		{name: "weft_expm1_f64", args: 1, build: unaryFunction(expm1Double)},
		{name: "weft_log_f64", args: 1, build: unaryFunction(logDouble), inline: true},
		{name: "weft_exp2_f64", args: 1, build: unaryFunction(exp2Double)},
		{name: "weft_log2_f64", args: 1, build: unaryFunction(log2Double)},
		{name: "weft_log10_f64", args: 1, build: unaryFunction(log10Double)},
		{name: "weft_log1p_f64", args: 1, build: unaryFunction(log1pDouble)},
		{name: "weft_sin_f64", args: 1, build: unaryFunction(sinDouble), data: twoOverPi},
		{name: "weft_cos_f64", args: 1, build: unaryFunction(cosDouble), data: twoOverPi},
		{name: "weft_tanh_f64", args: 1, build: unaryFunction(tanhDouble)},
		{name: "weft_sinh_f64", args: 1, build: unaryFunction(sinhDouble)},
		{name: "weft_cosh_f64", args: 1, build: unaryFunction(coshDouble)},
		{name: "weft_asinh_f64", args: 1, build: unaryFunction(asinhDouble)},
		{name: "weft_acosh_f64", args: 1, build: unaryFunction(acoshDouble)},
		{name: "weft_atanh_f64", args: 1, build: unaryFunction(atanhDouble)},
		{name: "weft_tan_f64", args: 1, build: unaryFunction(tanDouble), data: twoOverPi},
		{name: "weft_asin_f64", args: 1, build: unaryFunction(asinDouble)},
		{name: "weft_acos_f64", args: 1, build: unaryFunction(acosDouble)},
		{name: "weft_atan_f64", args: 1, build: unaryFunction(atanDouble)},
		{name: "weft_cbrt_f64", args: 1, build: unaryFunction(cbrtDouble)},
		{name: "weft_erf_f64", args: 1, build: unaryFunction(erfDouble)},
		{name: "weft_erfc_f64", args: 1, build: unaryFunction(erfcDouble)},
		{name: "weft_gamma_f64", args: 1, build: unaryFunction(gammaDouble)},
		{name: "weft_lgamma_f64", args: 1, build: unaryFunction(lgammaDouble)},
		{name: "weft_hypot_f64", args: 2, build: binaryFunction(hypotDouble), inline: true},
		{name: "weft_hypot_f32", args: 2, build: binaryFunction(hypotSingle), inline: true},
		{name: "weft_atan2_f64", args: 2, build: binaryFunction(atan2Double)},
		{name: "weft_pow_f64", args: 2, build: binaryFunction(powDouble)},
		{name: "weft_mod_f64", args: 2, build: binaryFunction(modDouble)},
		{name: "weft_pow_f32", args: 2, build: binaryFunction(powSingle)},
		{name: "weft_exp_f32", args: 1, build: unaryFunction(expSingle), inline: true},
		{name: "weft_log_f32", args: 1, build: unaryFunction(logSingle), inline: true},
		{name: "weft_sin_f32", args: 1, build: unaryFunction(sinSingle), inline: true},
		{name: "weft_cos_f32", args: 1, build: unaryFunction(cosSingle), inline: true},
		{name: "weft_tanh_f32", args: 1, build: unaryFunction(tanhSingle), inline: true},
		{name: "weft_cbrt_f32", args: 1, build: unaryFunction(cbrtSingle), inline: true},
		{name: "weft_erf_f32", args: 1, build: unaryFunction(erfSingle), inline: true},
		{name: "weft_erfc_f32", args: 1, build: unaryFunction(erfcSingle), inline: true},
		{name: "weft_tan_f32", args: 1, build: unaryFunction(tanSingle), inline: true},
		{name: "weft_atan2_f32", args: 2, build: binaryFunction(atan2Single), inline: true},
		{name: "weft_asinh_f32", args: 1, build: unaryFunction(asinhSingle), inline: true},
		{name: "weft_acosh_f32", args: 1, build: unaryFunction(acoshSingle), inline: true},
		{name: "weft_atanh_f32", args: 1, build: unaryFunction(atanhSingle), inline: true},
		{name: "weft_exp2_f32", args: 1, build: unaryFunction(exp2NarrowSingle)},
		{name: "weft_expm1_f32", args: 1, build: unaryFunction(expm1Single)},
		{name: "weft_log2_f32", args: 1, build: unaryFunction(log2Single)},
		{name: "weft_log10_f32", args: 1, build: unaryFunction(log10Single)},
		{name: "weft_log1p_f32", args: 1, build: unaryFunction(log1pSingle)},
		{name: "weft_sinh_f32", args: 1, build: unaryFunction(sinhSingle)},
		{name: "weft_cosh_f32", args: 1, build: unaryFunction(coshSingle)},
		{name: "weft_asin_f32", args: 1, build: unaryFunction(asinSingle)},
		{name: "weft_acos_f32", args: 1, build: unaryFunction(acosSingle)},
		{name: "weft_atan_f32", args: 1, build: unaryFunction(atanSingle)},
	}
}

func unaryFunction(f func(f fp, x string) string) func(fp, []string) string {
	return func(p fp, a []string) string { return f(p, a[0]) }
}

func binaryFunction(f func(f fp, x, y string) string) func(fp, []string) string {
	return func(p fp, a []string) string { return f(p, a[0], a[1]) }
}

// function calls a library function of this precision, or writes it out.
func (f fp) function(name string, args ...string) string {
	name = "weft_" + name + "_" + f.t
	for _, fn := range library() {
		if fn.name == name && fn.inline {
			return fn.build(f, args)
		}
	}
	return f.call(f.k, name, args...)
}

// compile returns the text of a function and the names of those that it calls.
func (fn *function) compile() (text string, calls map[string]bool) {
	c := newCode()
	f := c.double()
	if strings.HasSuffix(fn.name, "f32") {
		f = c.single()
	}
	var params, args []string
	for i := range fn.args {
		args = append(args, fmt.Sprintf("%%a%d", i))
		params = append(params, fmt.Sprintf(".reg .%s %%a%d", f.t, i))
	}
	result := fn.build(f, args)
	c.do("mov."+f.t, "%result", result)
	c.do("ret")
	return fmt.Sprintf(".func (.reg .%s %%result) %s (%s)\n{\n%s%s}\n",
		f.t, fn.name, strings.Join(params, ", "), c.declarations(), c.body.String()), c.calls
}

// functions returns the text of the named functions and all that they call.
func functions(names map[string]bool) string {
	needed := map[string]bool{}
	texts := map[string]string{}
	library := library()
	for i := len(library) - 1; i >= 0; i-- { // callers before what they call
		fn := &library[i]
		if !names[fn.name] && !needed[fn.name] {
			continue
		}
		text, calls := fn.compile()
		texts[fn.name] = text
		for name := range calls {
			needed[name] = true
		}
	}
	var b strings.Builder
	declared := map[string]bool{}
	for i := range library {
		fn := &library[i]
		text, ok := texts[fn.name]
		if !ok {
			continue
		}
		if fn.data != "" && !declared[fn.data] {
			declared[fn.data] = true
			b.WriteString(fn.data)
		}
		b.WriteString(text)
	}
	return b.String()
}
