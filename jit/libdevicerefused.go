package jit

import "strings"

// libdeviceRefusals are the functions of libdevice that kernels cannot call, and why.
var libdeviceRefusals = []struct{ names, why string }{
	{"j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf", "Weft has no Bessel functions; compute them outside of the kernel, with scipy.special."},
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
