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
	"strings"
	"syscall"

	"weft/profiler"
	"weft/viz"
)

// viewProfile serves a profile, or two that are compared, to the browser until Ctrl-C.
func viewProfile(args []string) error {
	var files []string
	port, browser := "0", true
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
		case len(files) < 2 && arg[:min(1, len(arg))] != "-":
			files = append(files, arg)
		default:
			return usagef("view: got %q; want one profile, or two to compare, --port N, --no-browser", arg)
		}
	}
	if len(files) == 0 {
		return usagef("view: no profile given; want weft view run.weftprof [other.weftprof] [--port N] [--no-browser]")
	}
	// Read before the server starts, so that a wrong file is an error here and not a page.
	var traces [2]*profiler.Trace
	for i, file := range files {
		t, err := profiler.ReadFile(file)
		if err != nil {
			return err
		}
		traces[i] = t
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	server, err := viz.Listen(viz.ServeOptions{
		Addr:   net.JoinHostPort("127.0.0.1", port),
		Title:  filepath.Base(files[0]),
		Exe:    func() string { return exe },
		Trace:  func() (*profiler.Trace, error) { return traces[0], nil },
		Second: traces[1], SecondTitle: filepath.Base(files[len(files)-1]),
	})
	if err != nil {
		return err
	}
	fmt.Println("showing", strings.Join(files, " and "), "at", server.URL())
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
