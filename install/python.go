package install

import (
	"fmt"
	"os/exec"
	"strings"
)

// SysPrefix asks an interpreter for the root of its environment, which is where
// --sys-prefix installs. Only the interpreter knows: a link, a .venv and a system
// Python each answer differently.
func SysPrefix(python string) (string, error) {
	out, err := exec.Command(python, "-I", "-c", "import sys; print(sys.prefix)").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its sys.prefix: %w", python, err)
	}
	prefix := strings.TrimSuffix(string(out), "\n")
	if prefix == "" {
		return "", fmt.Errorf("ask %s for its sys.prefix: it printed nothing", python)
	}
	return prefix, nil
}

// HasDebugger asks an interpreter whether it has debugpy, without which the kernel cannot debug.
func HasDebugger(python string) (bool, error) {
	ask := "from importlib.machinery import PathFinder; print(PathFinder.find_spec('debugpy') is not None)"
	out, err := exec.Command(python, "-I", "-c", ask).Output()
	if err != nil {
		return false, fmt.Errorf("ask %s whether it has debugpy: %w", python, err)
	}
	return strings.TrimSpace(string(out)) == "True", nil
}
