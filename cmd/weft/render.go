package main

import (
	"context"
	"os"

	"weft/viz/graphviz"
)

// renderChild is the body of the child process that graph.Render starts: DOT on standard
// input, the picture on standard output. The parent keeps the time and ends us.
func renderChild(args []string) error {
	if len(args) != 1 {
		return usagef("__render: want the picture's format, got %q", args)
	}
	return graphviz.Child(context.Background(), args[0], os.Stdin, os.Stdout)
}
