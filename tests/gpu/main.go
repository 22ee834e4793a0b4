package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// command is one thing that the program does.
type command struct {
	name, args string
	run        func(w io.Writer, args []string) error
}

func commands() []command {
	return []command{
		{"transcript", "[case]", transcript},
		{"load", "folder", load},
		{"measure", "", measure},
		{"fault", "", fault},
	}
}

func main() {
	flag.Parse()
	for _, c := range commands() {
		if flag.Arg(0) == c.name {
			if err := c.run(os.Stdout, flag.Args()[1:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage, one of:")
	for _, c := range commands() {
		fmt.Fprintf(os.Stderr, "  gpu %s %s\n", c.name, c.args)
	}
	os.Exit(2)
}
