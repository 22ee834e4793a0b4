package jit

import "strings"

// libdeviceRefusals are the functions of libdevice that kernels cannot call, and why.
var libdeviceRefusals = []struct{ names, why string }{
	{"fma_rd fma_ru fma_rz",
		"Weft does not know on which side of a product and a sum of float64 the exact one lies; fma_rn rounds to the nearest number."},
	{"double2hiint double2loint double_as_longlong longlong_as_double float_as_int int_as_float hiloint2double half2float float2half_rn",
		"Kernels do not see the bits of floats; give the kernel a view of the array, a.view(np.int64), beside the array."},
	{"erfinv erfinvf erfcinv erfcinvf erfcx erfcxf normcdfinv normcdfinvf",
		"Weft has no inverse of the error function, and no scaled one; compute it outside of the kernel, with scipy.special."},
	{"j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf", "Weft has no Bessel functions; compute them outside of the kernel, with scipy.special."},
	{"remquo remquof", "Weft has the remainder alone: call remainder(x, y), and rint((x - r) / y) for the quotient."},
}

// refusalOf says why a function of libdevice is not to be had; "" where nothing is known of it.
func refusalOf(name string) string {
	short, of := strings.CutPrefix(name, "cuda.libdevice.")
	if !of {
		return ""
	}
	for _, r := range libdeviceRefusals {
		for _, n := range strings.Fields(r.names) {
			if n == short {
				return r.why
			}
		}
	}
	return "libdevice has no function of this name."
}
