package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// exitStatus carries the status of a Python process that this command waited for.
type exitStatus struct{ code int }

func (e *exitStatus) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// hasPackage exits with 0 where weft can be found, without the cost of importing NumPy.
const hasPackage = "import importlib.util, sys; sys.exit(importlib.util.find_spec('weft') is None)"

// findPython returns the interpreter that has the weft package: the one named by
// WEFT_PYTHON, the one beside this binary (an environment's bin folder), the .venv beside
// this binary's folder (a built checkout), or the first python3 on PATH that can import it.
func findPython() (string, error) {
	var tried []string
	try := func(path string) bool {
		if st, err := os.Stat(path); err != nil || st.IsDir() {
			return false
		}
		tried = append(tried, path)
		return exec.Command(path, "-c", hasPackage).Run() == nil
	}
	if named := os.Getenv("WEFT_PYTHON"); named != "" {
		if try(named) {
			return named, nil
		}
		return "", fmt.Errorf("WEFT_PYTHON names %s, which cannot import weft; run make build, or unset it", named)
	}
	if exe, err := os.Executable(); err == nil {
		bin := filepath.Dir(exe)
		for _, path := range []string{filepath.Join(bin, "python"), filepath.Join(bin, "..", ".venv", "bin", "python")} {
			if try(path) {
				return path, nil
			}
		}
	}
	if path, err := exec.LookPath("python3"); err == nil && try(path) {
		return path, nil
	}
	return "", fmt.Errorf("no Python with the weft package found (tried %s); run make build, or name one in WEFT_PYTHON", strings.Join(tried, ", "))
}

// becomePython replaces this process by the interpreter running a module of the package, so
// that signals, terminals and exit statuses are the program's own.
func becomePython(module string, args []string) error {
	python, err := findPython()
	if err != nil {
		return err
	}
	argv := append([]string{python, "-m", module}, args...)
	return fmt.Errorf("cannot start %s: %w", python, syscall.Exec(python, argv, withBinary(os.Environ())))
}

// withBinary tells the package where this binary is: it draws graphs for it.
func withBinary(env []string) []string {
	exe, err := os.Executable()
	if err != nil {
		return env
	}
	return append(env, "WEFT_BINARY="+exe)
}

func runScript(args []string) error {
	if len(args) == 0 {
		return usagef("run: no script given; want weft run [FLAGS] script.py ARGS")
	}
	return becomePython("weft.run", args)
}

func execNotebook(args []string) error {
	if len(args) == 0 {
		return usagef("exec: no notebook given; want weft exec [FLAGS] in.ipynb [-o out.ipynb]")
	}
	return becomePython("weft.notebook", args)
}

func runKernel(args []string) error { return becomePython("weft_kernel", args) }

func runCoverage(args []string) error { return becomePython("weft.covered", args) }
