package jit

import "strings"

// libdeviceRefusals are the functions of libdevice that kernels cannot call, and why.
var libdeviceRefusals = []struct{ names, why string }{
	{"j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf", "Weft has no Bessel functions; compute them outside of the kernel, with scipy.special."},
}

// refusalOf says why a function of libdevice, or of bfloat16, is not to be had; "" where nothing is known of it.
func refusalOf(name string) string {
	if strings.HasPrefix(name, "cuda.bf16.") {
		return "NumPy has no bfloat16, and neither has weft; compute in float32, or in float16 with cuda.fp16."
	}
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
