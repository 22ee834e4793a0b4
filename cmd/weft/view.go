package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"weft/profiler"
	"weft/viz"
)

// viewProfile serves a profile, or two that are compared, to the browser until Ctrl-C.
func viewProfile(args []string) error {
	var files []string
	port, browser, memory := "0", true, int64(0)
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
		case arg == "--memory":
			if i++; i >= len(args) {
				return usagef("view: --memory needs a size, such as 8GB")
			}
			n, err := memorySize(args[i])
			if err != nil {
				return usagef("view: --memory %q: %v", args[i], err)
			}
			memory = n
		case len(files) < 2 && arg[:min(1, len(arg))] != "-":
			files = append(files, arg)
		default:
			return usagef("view: got %q; want one profile, or two to compare, --port N, --memory 8GB, --no-browser", arg)
		}
	}
	if len(files) == 0 {
		return usagef("view: no profile given; want weft view run.weftprof [other.weftprof] [--port N] [--memory 8GB] [--no-browser]")
	}
	// Read before the server starts, so that a wrong file is an error here and not a page.
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	o := viz.ServeOptions{
		Addr:   net.JoinHostPort("127.0.0.1", port),
		Title:  filepath.Base(files[0]),
		Exe:    func() string { return exe },
		Memory: memory,
	}
	long := memory > 0
	for _, file := range files {
		info, err := os.Stat(file)
		long = long || err == nil && info.Size() >= longProfile
	}
	if long {
		return viewPieces(o, files, browser)
	}
	var traces [2]*profiler.Trace
	for i, file := range files {
		t, err := profiler.ReadFile(file)
		if err != nil {
			return err
		}
		traces[i] = t
	}
	o.Trace = func() (*profiler.Trace, error) { return traces[0], nil }
	o.Second, o.SecondTitle = traces[1], filepath.Base(files[len(files)-1])
	return serveProfile(o, files, browser)
}

// memorySize reads a size as people write it.
func memorySize(text string) (int64, error) {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}} {
		digits, found := strings.CutSuffix(strings.ToUpper(text), unit.name)
		if n, err := strconv.ParseFloat(digits, 64); found && err == nil && n > 0 && n*unit.bytes < 1<<60 {
			return int64(n * unit.bytes), nil
		}
	}
	return 0, errors.New("want a number of MB, GB or TB, such as 8GB")
}

// longProfile is how long a profile's file is that is shown while it is read.
const longProfile = 16 << 20

// viewPieces serves profiles that take a while to read. What else there is to see of the first one reads it once more.
func viewPieces(o viz.ServeOptions, files []string, browser bool) error {
	debug.SetGCPercent(25) // the records hold no pointers, so that looking through them more often costs little, and memory more
	for i, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		reader, err := profiler.NewReader(bufio.NewReaderSize(f, 1<<20))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if i > 0 {
			o.SecondPieces, o.SecondTitle = piecesOf(file, reader), filepath.Base(file)
			continue
		}
		o.Pieces = piecesOf(file, reader)
		if info, err := f.Stat(); err == nil && info.Size() >= tooLong {
			o.Long = file
		}
	}
	o.Trace = sync.OnceValues(func() (*profiler.Trace, error) { return profiler.ReadFile(files[0]) })
	return serveProfile(o, files, browser)
}

// piecesOf hands over a profile as it is read.
func piecesOf(file string, reader *profiler.Reader) func(context.Context, func(*profiler.Increment)) error {
	return func(ctx context.Context, add func(*profiler.Increment)) error {
		var inc profiler.Increment
		for ctx.Err() == nil {
			err := reader.Next(&inc)
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			add(&inc)
		}
		if reader.Cut {
			return fmt.Errorf("the profile %s ends early: the run crashed or still goes on", filepath.Base(file))
		}
		return nil
	}
}

// serveProfile serves until Ctrl-C.
func serveProfile(o viz.ServeOptions, files []string, browser bool) error {
	server, err := viz.Listen(o)
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
