//go:build cuda && cgo && linux

package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/cuda/driver/fakecuda"
)

func TestFakeModules(t *testing.T) {
	r := newRig(t)
	m, s := r.module(), r.stream()
	w := r.words(4)
	r.code(500, "cuModuleGetFunction", w.At(0), m, r.text("missing"))
	if a, b := r.kernel(m, "set"), r.kernel(m, "set"); a != b {
		t.Errorf("two handles for one function: %#x, %#x", a, b)
	}
	r.ok("cuModuleGetGlobal_v2", w.At(0), w.At(1), m, r.text("counter"))
	if w[1] != 4 {
		t.Errorf("counter has %d bytes", w[1])
	}
	counter := w[0]
	r.code(500, "cuModuleGetGlobal_v2", w.At(0), w.At(1), m, r.text("missing"))
	r.launch(r.kernel(m, "tally"), s, 2, counter)
	r.all(counter, 1, s, 128+7)

	for _, c := range []struct {
		name, text string
		code       int
		log        string
	}{
		{"no PTX", "SYNTAX ERROR", 200, "Binary format for key='0', ident='' is not recognized"},
		{"wrong PTX", "// comment\n/* and\nanother */ .version 7.0\n.target sm_70\nSYNTAX ERROR", 218, "ptxas"},
		{"a version to come", ".version 99.0\n.target sm_70\n.address_size 64\n", 222, ""},
		{"another device", ".version 8.8\n.target sm_120\n.address_size 64\n", 209, ""},
		{"a binary", "\x7fELF....", 209, ""},
		{"good", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry a()\n{\n\tret;\n}\n", 0, ""},
	} {
		log := r.words(128)
		names, values := r.words(3), r.words(5)
		copy(names.Bytes(), []byte{5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0})
		values[0], values[1], values[2], values[3] = log.At(0), 1024, 4, 32 // the log, its room, the highest level, 32 registers
		got := r.fake.Call("cuModuleLoadDataEx", w.At(0), r.text(c.text), 4, names.At(0), values.At(0))
		if got != c.code {
			t.Errorf("%s: %d, want %d", c.name, got, c.code)
		}
		if got == 0 {
			r.ok("cuModuleUnload", w[0])
		}
		text := string(log.Bytes()[:max(bytes.IndexByte(log.Bytes(), 0), 0)])
		if c.log != "" && (!strings.Contains(text, c.log) || values[1] != uint64(len(text))) {
			t.Errorf("%s: the log says %q, %d bytes", c.name, text, values[1])
		}
	}
	values := r.words(2)
	values[0] = 9
	names := r.words(1)
	names[0] = 7
	r.code(1, "cuModuleLoadDataEx", w.At(0), r.text(""), 1, names.At(0), values.At(0))
	r.code(301, "cuModuleLoad", w.At(0), r.text("/nowhere"))
	file := filepath.Join(t.TempDir(), "a.ptx")
	check(t, "write", os.WriteFile(file, []byte(".version 7.0\n.target sm_70\n.address_size 64\n"), 0o644))
	r.ok("cuModuleLoad", w.At(0), r.text(file))
	r.ok("cuModuleUnload", w[0])
	r.code(400, "cuModuleUnload", w[0])
	r.said("cuModuleUnload: the module was destroyed")
}

// What the linker makes can be loaded again, by a device that it was made for, if it was not touched.
func TestFakeLinking(t *testing.T) {
	r := newRig(t)
	s := r.stream()
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "the kernels", err)
	w := r.words(2)
	r.ok("cuLinkCreate_v2", 0, 0, 0, w.At(0))
	l := w[0]
	r.code(1, "cuLinkComplete", l, w.At(0), w.At(1)) // nothing to link
	r.code(218, "cuLinkAddData_v2", l, 1, r.text("SYNTAX ERROR"), 13, 0, 0, 0, 0)
	r.ok("cuLinkAddData_v2", l, 1, r.text(string(text)), uint64(len(text)+1), 0, 0, 0, 0)
	r.ok("cuLinkComplete", l, w.At(0), w.At(1))
	image := append([]byte{}, fakecuda.Bytes(w[0], int(w[1]))...)
	r.ok("cuLinkDestroy", l)
	r.code(400, "cuLinkDestroy", l)
	r.said("cuLinkDestroy: the link state was destroyed")

	load := func(want int, image []byte) uint64 {
		t.Helper()
		w[0] = 0
		r.code(want, "cuModuleLoadData", w.At(0), r.text(string(image)))
		return w[0]
	}
	m := load(0, image)
	p := r.alloc(400)
	r.launch(r.kernel(m, "set"), s, 2, p, uint32(100), uint32(3))
	r.all(p, 100, s, 3)
	r.ok("cuModuleUnload", m)

	damaged := bytes.Clone(image)
	damaged[len(damaged)/2] ^= 1
	load(200, damaged)
	load(200, image[:len(image)/2])
	load(200, image[:20])
	load(209, bytes.Replace(image, []byte("cc=90"), []byte("cc=80"), 1))
	load(209, bytes.Replace(image, []byte("driver=13000"), []byte("driver=14000"), 1))
}

func TestFakeLaunchLimits(t *testing.T) {
	r := newRig(t)
	m, s := r.module(), r.stream()
	nothing, add, set := r.kernel(m, "nothing"), r.kernel(m, "add"), r.kernel(m, "set")
	p := r.alloc(400)
	adding := r.extra(p, p, uint32(1))
	for _, c := range []struct {
		name  string
		f     uint64
		args  [7]uint64 // grid, block, shared memory
		extra uint64
		want  int
	}{
		{"the most", nothing, [7]uint64{1, 1, 1, 1024, 1, 1, 49152}, 0, 0},
		{"all dimensions", nothing, [7]uint64{2, 3, 4, 4, 4, 64, 0}, 0, 0},
		{"no blocks", nothing, [7]uint64{0, 1, 1, 1, 1, 1, 0}, 0, 1},
		{"too many blocks", nothing, [7]uint64{1, 65536, 1, 1, 1, 1, 0}, 0, 1},
		{"no threads", nothing, [7]uint64{1, 1, 1, 1, 0, 1, 0}, 0, 1},
		{"too many threads", nothing, [7]uint64{1, 1, 1, 1024, 2, 1, 0}, 0, 1},
		{"too deep", nothing, [7]uint64{1, 1, 1, 1, 1, 65, 0}, 0, 1},
		{"too much shared memory", nothing, [7]uint64{1, 1, 1, 1, 1, 1, 49153}, 0, 1},
		{"more threads than the kernel says", add, [7]uint64{1, 1, 1, 129, 1, 1, 0}, adding, 1},
		{"as many", add, [7]uint64{1, 1, 1, 128, 1, 1, 0}, r.extra(p, p+200, uint32(0)), 0},
		{"no parameters", add, [7]uint64{1, 1, 1, 128, 1, 1, 0}, 0, 1},
		{"too few parameters", add, [7]uint64{1, 1, 1, 128, 1, 1, 0}, r.extra(p, p), 1},
		{"too many parameters", add, [7]uint64{1, 1, 1, 128, 1, 1, 0}, r.extra(p, p, p, p), 701},
	} {
		a := c.args
		if got := r.fake.Call("cuLaunchKernel", c.f, a[0], a[1], a[2], a[3], a[4], a[5], a[6], s, 0, c.extra); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	r.said("add takes 20 bytes of parameters, 0 were passed", "16 were passed", "32 were passed")

	// More shared memory, when it is asked for.
	w := r.words(4)
	r.ok("cuFuncSetAttribute", nothing, 8, 100000)
	r.ok("cuLaunchKernel", nothing, 1, 1, 1, 1, 1, 1, 100000, s, 0, 0)
	r.code(1, "cuFuncSetAttribute", nothing, 8, 232449)
	r.ok("cuFuncGetAttribute", w.At(0), 8, nothing)
	r.ok("cuFuncGetAttribute", w.At(1), 0, add)
	if uint32(w[0]) != 100000 || uint32(w[1]) != 128 {
		t.Errorf("shared memory %d, threads %d", uint32(w[0]), uint32(w[1]))
	}

	// Parameters one by one.
	w[0], w[1], w[2] = p, 100, 6
	r.ok("cuLaunchKernel", set, 2, 1, 1, 64, 1, 1, 0, s, r.list(w.At(0), w.At(1), w.At(2)), 0)
	r.all(p, 100, s, 6)
	w[2] = 7
	config := r.words(7)
	config[0], config[1], config[2], config[3], config[4] = 2|1<<32, 1|64<<32, 1|1<<32, 0, s
	r.ok("cuLaunchKernelEx", config.At(0), set, r.list(w.At(0), w.At(1), w.At(2)), 0)
	r.all(p, 100, s, 7)

	// A cooperative launch has to fit on the device.
	r.ok("cuOccupancyMaxActiveBlocksPerMultiprocessor", w.At(3), nothing, 1024, 0)
	if n := uint32(w[3]); n != 2 {
		t.Errorf("%d blocks of 1024 threads fit", n)
	}
	r.ok("cuLaunchCooperativeKernel", nothing, 264, 1, 1, 1024, 1, 1, 0, s, 0)
	r.code(720, "cuLaunchCooperativeKernel", nothing, 265, 1, 1, 1024, 1, 1, 0, s, 0)
	r.ok("cuOccupancyMaxPotentialBlockSize", w.At(2), w.At(3), nothing, 0, 0, 0)
	if grid, block := uint32(w[2]), uint32(w[3]); grid*block != 132*2048 {
		t.Errorf("%d blocks of %d threads", grid, block)
	}

	// Functions and streams of another context.
	r.on(1)
	far := r.stream()
	r.code(400, "cuLaunchKernel", nothing, 1, 1, 1, 1, 1, 1, 0, far, 0, 0)
	r.on(0)
	r.code(400, "cuLaunchKernel", nothing, 1, 1, 1, 1, 1, 1, 0, far, 0, 0)
	r.said("are not of one context", "are not of one context")
}

func TestFakeDevices(t *testing.T) {
	r := newRig(t)
	w := r.words(4)
	for _, c := range []struct {
		attribute uint64
		want      uint32
	}{{1, 1024}, {8, 49152}, {10, 32}, {16, 132}, {33, 0x1b}, {38, 62914560}, {75, 9}, {76, 0}, {97, 232448}, {102, 1}, {115, 1}} {
		r.ok("cuDeviceGetAttribute", w.At(0), c.attribute, 1)
		if uint32(w[0]) != c.want {
			t.Errorf("attribute %d is %d, want %d", c.attribute, uint32(w[0]), c.want)
		}
	}
	r.code(101, "cuDeviceGetAttribute", w.At(0), 1, 2)
	r.code(1, "cuDeviceGetAttribute", w.At(0), 1000, 1)
	r.code(101, "cuDeviceGet", w.At(0), 2)
	r.code(101, "cuDevicePrimaryCtxRetain", w.At(0), 2)
	r.ok("cuDeviceGetP2PAttribute", w.At(0), 2, 0, 1)
	if uint32(w[0]) != 1 {
		t.Error("no access between the devices")
	}
	r.code(1, "cuInit", 1)

	r.ok("cuDevicePrimaryCtxGetState", 1, w.At(0), w.At(1))
	if uint32(w[1]) != 1 {
		t.Error("device 1's context is not active")
	}
	r.ok("cuDevicePrimaryCtxRelease_v2", 1)
	r.ok("cuDevicePrimaryCtxGetState", 1, w.At(0), w.At(1))
	if uint32(w[1]) != 0 {
		t.Error("device 1's context is active after its release")
	}
	r.code(201, "cuCtxSetCurrent", r.contexts[1])
	r.code(201, "cuDevicePrimaryCtxRelease_v2", 1)
	r.said("cuCtxSetCurrent: the context is not active", "cuDevicePrimaryCtxRelease: device 1's context is not retained")
	if got := r.made("cuDevicePrimaryCtxRetain", 1); got != r.contexts[1] {
		t.Errorf("the context is another one: %#x", got)
	}

	// Contexts of one's own, on a stack.
	c := r.made("cuCtxCreate_v2", 0, 1)
	r.ok("cuCtxGetCurrent", w.At(0))
	r.ok("cuCtxGetDevice", w.At(1))
	if w[0] != c || uint32(w[1]) != 1 {
		t.Errorf("current is %#x of device %d", w[0], uint32(w[1]))
	}
	r.ok("cuCtxPopCurrent_v2", w.At(0))
	r.ok("cuCtxGetCurrent", w.At(0))
	if w[0] != r.contexts[0] {
		t.Errorf("below it is %#x", w[0])
	}
	r.ok("cuCtxPushCurrent_v2", c)
	r.ok("cuCtxDestroy_v2", c)
	r.code(201, "cuCtxDestroy_v2", c)
	r.said("cuCtxDestroy: the context was destroyed")
	r.code(201, "cuCtxDestroy_v2", r.contexts[0])
}
