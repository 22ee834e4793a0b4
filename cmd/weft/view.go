package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"weft/profiler"
	"weft/viz"
)

// viewProfile serves a profile to the browser until Ctrl-C.
func viewProfile(args []string) error {
	file, port, browser := "", "0", true
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--no-browser":
			browser = false
		case arg == "--port":
			if i++; i >= len(args) {
				return usagef("view: --port needs a number")
			}
			if n, err := strconv.Atoi(args[i]); err != nil || n < 0 || n > 65535 {
				return usagef("view: --port %q: want a number from 0 (any free port) to 65535", args[i])
			}
			port = args[i]
		case file == "" && arg[:min(1, len(arg))] != "-":
			file = arg
		default:
			return usagef("view: got %q; want one profile, --port N, --no-browser", arg)
		}
	}
	if file == "" {
		return usagef("view: no profile given; want weft view run.weftprof [--port N] [--no-browser]")
	}
	// Read before the server starts, so that a wrong file is an error here and not a page.
	trace, err := profiler.ReadFile(file)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	server, err := viz.Listen(viz.ServeOptions{
		Addr:  net.JoinHostPort("127.0.0.1", port),
		Title: filepath.Base(file),
		Exe:   func() string { return exe },
		Trace: func() (*profiler.Trace, error) { return trace, nil },
	})
	if err != nil {
		return err
	}
	fmt.Println("showing", file, "at", server.URL())
	fmt.Println("press Ctrl-C to end")
	if browser {
		openBrowser(server.URL())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return server.Serve(ctx)
}

// openBrowser asks the desktop to show a page. Where that fails, the address has been printed.
func openBrowser(url string) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	if path, err := exec.LookPath(opener); err == nil {
		if err := exec.Command(path, url).Start(); err != nil {
			fmt.Fprintln(os.Stderr, "weft: cannot start a browser:", err)
		}
	}
}
