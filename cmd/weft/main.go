// Command weft is the one binary of weft: it starts notebooks and scripts on the weft
// runtime, installs the Jupyter kernel, opens profiles and says what this machine has. The
// programs themselves run in Python, in the process that this command turns into.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// command is one row of the table of commands.
type command struct {
	name  string
	args  string // for the usage line
	about string
	run   func(args []string) error
}

// commands is the table; help prints it in this order.
func commands() []command {
	return []command{
		{"run", "[FLAGS] script.py ARGS | [FLAGS] -m module ARGS", "run a NumPy program on the weft runtime", runScript},
		{"exec", "[FLAGS] in.ipynb [-o out.ipynb]", "execute a notebook without a browser", execNotebook},
		{"install", "[--user|--sys-prefix|--prefix P] [--name N] [--display-name D] [--env K=V] [--remove] [-- FLAGS]", "install the Jupyter kernel, or remove it", installKernel},
		{"kernel", "-f connection.json [FLAGS]", "start the Jupyter kernel (Jupyter does this)", runKernel},
		{"view", "run.weftprof [--port N] [--memory 8GB] [--no-browser]", "open a profile in the browser", viewProfile},
		{"export", "run.weftprof --perfetto|--chrome|--html|--csv|--json|--text|--check|--dot|--svg|--graph|--events-dot|--events-svg|--events-graph [--from 10s --to 10.5s] [-o FILE]", "convert a profile", exportProfile},
		{"info", "", "say what processors, memories and libraries were found", printInfo},
		{"version", "", "print the version", printVersion},
	}
}

// version is stamped by the build.
var version = "0.1.0-dev"

// usageError is a mistake on the command line: exit status 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "__render" {
		// The child process that draws graphs; see viz/graphviz.
		if err := renderChild(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	err := dispatch(os.Args[1:])
	var usage *usageError
	var status *exitStatus
	switch {
	case err == nil:
	case errors.As(err, &status):
		os.Exit(status.code)
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "weft:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "weft:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		help(os.Stdout)
		return nil
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:])
		}
		names = append(names, c.name)
	}
	return usagef("unknown command %q; want one of %s (weft help says more)", args[0], strings.Join(names, ", "))
}

func help(w io.Writer) {
	fmt.Fprintln(w, "weft runs NumPy notebooks on every processor there is, and shows how.")
	fmt.Fprintln(w)
	for _, c := range commands() {
		fmt.Fprintf(w, "  weft %s %s\n        %s\n", c.name, c.args, c.about)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "FLAGS choose the machine: --cpus N --gpus N --emulate --sysmem MB --fbmem MB --profile --dataflow --event.")
	fmt.Fprintln(w, "They may also stand in WEFT_ARGS, LEGATE_CONFIG or LEGATE_ARGS; the command line wins.")
}

func printVersion([]string) error {
	fmt.Println("weft", version)
	return nil
}
