package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"weft/cpu"
	"weft/cpu/blas"
	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/internal/units"
)

// printInfo says what this machine has, one line per finding. What is missing says what it
// would be good for.
func printInfo(args []string) error {
	if len(args) > 0 {
		return usagef("info: takes no arguments, got %q", args)
	}
	for _, f := range findings() {
		fmt.Printf("%-13s %s\n", f.what, strings.ReplaceAll(f.found, "\n", "\n"+strings.Repeat(" ", 14)))
	}
	return nil
}

type finding struct{ what, found string }

func findings() []finding {
	found := driver.Probe()
	return []finding{
		{"weft", version + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
		{"python", pythonFinding()},
		{"processor", fmt.Sprintf("%s, %d usable cores", cpuModel(), runtime.NumCPU())},
		{"workers", workersFinding()},
		{"memory", memoryFinding()},
		{"gpu", found.String()},
		{"gpu libraries", gpuLibraries(found)},
		{"blas", blasFinding()},
		{"dot", dotFinding()},
	}
}

func pythonFinding() string {
	python, err := findPython()
	if err != nil {
		return err.Error()
	}
	const ask = "import sys, importlib.metadata as m; print(sys.version.split()[0], 'numpy', m.version('numpy'), 'ipython', m.version('ipython'))"
	out, err := exec.Command(python, "-c", ask).Output()
	if err != nil {
		return fmt.Sprintf("%s: cannot say its versions: %v", python, err)
	}
	return strings.TrimSpace(string(out)) + " (" + python + ")"
}

// workersFinding says what runs tasks unless --cpus says otherwise.
func workersFinding() string {
	n := runtime.GOMAXPROCS(0)
	if pins := cpu.Pins(n); pins != nil {
		return fmt.Sprintf("%d, pinned to the CPUs %v while they compute (not with WEFT_DEBUG=unpinned)", n, pins)
	}
	return fmt.Sprintf("%d, not pinned: they are not as many as the CPUs that this process may use", n)
}

// blasFinding says which library computes matrix products and linear algebra.
func blasFinding() string {
	search := blas.Search{Path: os.Getenv("WEFT_BLAS")}
	if python, err := findPython(); err == nil {
		const ask = "import importlib.util as u; print(u.find_spec('numpy').submodule_search_locations[0])"
		if out, err := exec.Command(python, "-c", ask).Output(); err == nil {
			search.NumPy = strings.TrimSpace(string(out))
		}
	}
	library, err := search.Open()
	if err != nil {
		return err.Error()
	}
	return library.String()
}

// gpuLibraries says which of NVIDIA's libraries there are, where a GPU could use them. None is needed.
func gpuLibraries(found driver.Report) string {
	if found.Problem != "" {
		return "not looked for: there is no GPU to use them"
	}
	var packages []string
	if python, err := findPython(); err == nil {
		const ask = "import importlib.util as u; s = u.find_spec('nvidia'); print(*(s.submodule_search_locations or []) if s else [], sep='\\n')"
		if out, err := exec.Command(python, "-c", ask).Output(); err == nil {
			packages = strings.Fields(string(out))
		}
	}
	lines := []string{"none is needed; cuBLAS multiplies matrices where it is there, cuFFT transforms, and cuSOLVER decomposes single matrices:"}
	for _, l := range libraries.Find(libraries.Folders(packages), found.Version/1000) {
		lines = append(lines, l.String())
	}
	return strings.Join(lines, "\n")
}

// procField returns the first value of a key in a file of lines "key : value".
func procField(file, key string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func cpuModel() string {
	if model := procField("/proc/cpuinfo", "model name"); model != "" {
		return model
	}
	return "processor of unknown model"
}

func memoryFinding() string {
	kib, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64)
	if err != nil {
		return "unknown size"
	}
	return units.Size(kib << 10)
}

func dotFinding() string {
	if path, err := exec.LookPath("dot"); err == nil {
		return path + " (graphs are also drawn without it; it adds PDF)"
	}
	return "not found (graphs are drawn without it; it would add PDF)"
}
