package main

import (
	"flag"
	"fmt"
	"os"

	"weft/arrays"
)

func main() {
	out := flag.String("o", "", "file to write; standard output when empty")
	flag.Parse()
	text, err := generate(arrays.Functions())
	if err == nil && *out == "" {
		_, err = os.Stdout.WriteString(text)
	} else if err == nil {
		err = os.WriteFile(*out, []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stubs:", err)
		os.Exit(1)
	}
}
