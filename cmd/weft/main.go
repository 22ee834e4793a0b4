// Command weft is the one binary of weft: it starts notebooks and scripts on the weft
// runtime, installs the Jupyter kernel, opens profiles and says what this machine has. The
// programs themselves run in Python, in the process that this command turns into.
//
// It must not know arrays, ops or Jupyter's messages.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"weft/install/flags"
)

// command is one row of the table of commands.
type command struct {
	name    string
	args    string // for the usage line
	about   string
	options []option // that may stand anywhere among the words
	notes   string   // for its own help, below the options
	run     func(others []string) error
	raw     bool // run has all words, in their order: a program in Python reads them
	helps   bool // that program has its own --help
}

// commands makes the table; help prints it in this order. The rows of options and run share what the options have set,
// so that a table serves one command line.
func commands() []command {
	return []command{
		{name: "run", args: "[FLAGS] script.py ARGS | [FLAGS] -m module ARGS", about: "run a NumPy program on the weft runtime", run: runScript, raw: true, helps: true},
		{name: "exec", args: "[FLAGS] in.ipynb [-o out.ipynb]", about: "execute a notebook without a browser", run: execNotebook, raw: true, helps: true},
		installCommand(),
		{name: "kernel", args: "-f connection.json [FLAGS]", about: "start the Jupyter kernel (Jupyter does this)", run: runKernel, raw: true},
		viewCommand(),
		exportCommand(),
		{name: "coverage", args: "[--list] | [FLAGS] script.py ARGS", about: "say which functions of NumPy weft computes, or what NumPy computed in a program and what to change", run: runCoverage, raw: true, helps: true},
		{name: "info", about: "say what processors, memories and libraries were found", run: printInfo},
		{name: "version", about: "print the version", run: printVersion},
	}
}

// aliases are options of the binary that say the same as a command.
var aliases = map[string]string{"--version": "version", "-V": "version", "-h": "help", "--help": "help"}

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
	err := dispatch(os.Args[1:], os.Stdout)
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

// dispatch runs the command that a command line names; help that is asked for goes to w.
func dispatch(words []string, w io.Writer) error {
	if len(words) == 0 {
		help(w)
		return nil
	}
	name, words := words[0], words[1:]
	if command, ok := aliases[name]; ok {
		name = command
	}
	if name == "help" {
		if len(words) == 0 {
			help(w)
			return nil
		}
		name, words = words[0], []string{"--help"} // weft help install
	}
	var names []string
	for _, c := range commands() {
		if c.name != name {
			names = append(names, c.name)
			continue
		}
		if asksHelp(words) && !c.helps {
			c.help(w)
			return nil
		}
		if c.raw {
			return c.run(words)
		}
		others, err := c.takeOptions(words)
		if err != nil {
			return err
		}
		return c.run(others)
	}
	return usagef("unknown command %q; want one of %s (weft help says more)", name, strings.Join(names, ", "))
}

// help prints all commands.
func help(w io.Writer) {
	fmt.Fprintln(w, "weft runs NumPy notebooks on all the cores of this machine, and shows how.")
	fmt.Fprintln(w)
	for _, c := range commands() {
		fmt.Fprintf(w, "  weft %s\n        %s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "weft COMMAND --help says more of one. FLAGS choose the machine:")
	fmt.Fprintln(w)
	fmt.Fprint(w, flags.Help())
	fmt.Fprintln(w)
	fmt.Fprintln(w, "They may also stand in WEFT_ARGS, LEGATE_CONFIG or LEGATE_ARGS; the command line wins.")
}

// help prints one command with its options.
func (c *command) help(w io.Writer) {
	fmt.Fprintf(w, "usage: weft %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	if len(c.options) > 0 {
		fmt.Fprintln(w)
		writeOptions(w, c.options)
	}
	if c.notes != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.notes))
	}
}

func printVersion(others []string) error {
	if len(others) > 0 {
		return usagef("version: takes no arguments, got %q", others)
	}
	fmt.Println("weft", version)
	return nil
}
