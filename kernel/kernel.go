package kernel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"weft/kernel/usage"
	"weft/kernel/wire"
)

// Options starts a kernel.
type Options struct {
	Evaluator Evaluator // required
	// ConnectionFile is the file that the client wrote. When it does not exist, or no
	// name is given, the kernel chooses ports and a key and writes the file itself.
	ConnectionFile string
	Version        string    // of the implementation
	Banner         string    // what a console prints at its start
	Log            io.Writer // default: the standard error that the process started with
	AllowUnsigned  bool      // accept a connection file without a key
	Debugger       bool      // the evaluator answers debug_request, which clients are told
	// Question says which cells are questions about what runs: they are answered while another cell runs.
	Question func(code string) bool
	Limits   wire.Limits

	// For tests; the zero values are right otherwise.
	parentGone  <-chan struct{}
	exit        func(code int)
	streamDelay time.Duration
}

// Implementation is the name in kernel_info.
const Implementation = "weft"

// Exit says why a kernel ended.
type Exit struct {
	Restart bool
	Reason  string
}

// Kernel is a running kernel.
type Kernel struct {
	evaluator  Evaluator
	log        *log.Logger
	sink       *logSink
	journal    *wire.Journal // what peers do, as far as it belongs into the log
	info       KernelInfoReply
	session    string
	username   string
	connection *wire.Connection
	file       string // the connection file
	created    bool   // ours to remove
	drain      time.Duration

	signer                 *wire.Signer
	shellSock, controlSock wire.Router
	stdin                  wire.Router
	hb                     wire.Echo
	publisher              *publisher

	shells   shells
	status   statusBoard
	input    inputDesk
	question func(code string) bool // nil: none is
	meter    usage.Meter
	capture  atomic.Pointer[Capture]

	capturing atomic.Bool // capture is, or is about to be, set

	receivers  sync.WaitGroup
	done       chan struct{} // closed by finish
	closed     chan struct{} // closed by Close
	finishOnce sync.Once
	closeOnce  sync.Once
	exit       Exit // set before done is closed
}

// Start opens the sockets and begins to serve. The evaluator may be called at once.
func Start(o Options) (*Kernel, error) {
	if o.Evaluator == nil {
		return nil, errors.New("kernel: Options.Evaluator is nil")
	}
	k := &Kernel{
		evaluator: o.Evaluator, sink: newLogSink(o.Log), username: "kernel",
		shells:   shells{main: newShell(""), beside: newShell(besideID), control: newShell(controlID)},
		question: o.Question,
		drain:    wire.DefaultLimits().Drain,
		done:     make(chan struct{}), closed: make(chan struct{}),
	}
	if o.Limits.Drain > 0 {
		k.drain = o.Limits.Drain
	}
	k.log = log.New(k.sink, "weft kernel: ", log.LstdFlags|log.Lmsgprefix)
	k.journal = wire.NewJournal(k.log)
	if u, err := user.Current(); err == nil {
		k.username = u.Username
	}
	k.info = KernelInfoReply{
		Status: "ok", ProtocolVersion: protocolVersion,
		Implementation: Implementation, ImplementationVersion: o.Version,
		LanguageInfo: o.Evaluator.Info(), Banner: o.Banner,
		HelpLinks: []HelpLink{}, SupportedFeatures: []string{"kernel subshells"},
	}
	if o.Debugger {
		k.info.SupportedFeatures = append(k.info.SupportedFeatures, "debugger")
		k.info.Debugger = true
	}
	if err := k.connect(o); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	k.publishStatus("starting", nil)

	for _, s := range k.shells.all() {
		go k.run(s)
	}
	k.receivers.Add(3)
	go k.receive(Shell, k.shellSock)
	go k.receive(Control, k.controlSock)
	go k.receive(Stdin, k.stdin)
	go k.watchParent(o)
	return k, nil
}

// connect reads or makes the connection file and opens the sockets.
func (k *Kernel) connect(o Options) error {
	conn, err := k.findConnection(o)
	if err != nil {
		return err
	}
	if conn.Key == "" {
		if !o.AllowUnsigned {
			return fmt.Errorf("connection file %s has no key: every local user could run code here; set a key in the client's configuration (Session.key), or allow it explicitly", k.file)
		}
		k.log.Print("connection file has no key: messages are not signed, every local user can run code here")
	}
	k.connection, k.signer = conn, wire.NewSigner([]byte(conn.Key))
	k.session = k.signer.OwnSession()
	delay := streamDelay
	if o.streamDelay > 0 {
		delay = o.streamDelay
	}
	p := &publisher{
		signer: k.signer, header: k.header, delay: delay, pending: map[string]*collected{},
		report: func(err error) { k.log.Printf("iopub: %v", err) },
	}
	k.publisher = p

	curve, err := conn.Curve()
	if err != nil {
		return err
	}
	strangers := wire.NewBudget(wire.DefaultStrangers, debug.FreeOSMemory)
	options := func(name string, port int) wire.Options {
		network, address := conn.Listener(port)
		return wire.Options{
			Network: network, Address: address, Name: name, Limits: o.Limits, Journal: k.journal, Strangers: strangers, Curve: curve,
		}
	}
	iopub := options("iopub", conn.IOPubPort)
	iopub.OnSubscribe, iopub.OnCutOff = k.welcome, k.tellOfCutOff
	hb := options("hb", conn.HBPort)
	hb.Limits.MaxFrame = 64 << 10

	open := func(dst *wire.Router, name string, port int) {
		if err == nil {
			*dst, err = wire.NewRouter(options(name, port))
		}
	}
	open(&k.shellSock, "shell", conn.ShellPort)
	open(&k.controlSock, "control", conn.ControlPort)
	open(&k.stdin, "stdin", conn.StdinPort)
	if err == nil {
		p.pub, err = wire.NewPub(iopub)
	}
	if err == nil {
		k.hb, err = wire.NewEcho(hb)
	}
	if err == nil && k.created {
		err = k.writeConnection()
	}
	if err != nil {
		k.closeSockets()
	}
	return err
}

func (k *Kernel) findConnection(o Options) (*wire.Connection, error) {
	k.file = o.ConnectionFile
	if k.file != "" {
		conn, err := wire.ReadConnection(k.file)
		if !errors.Is(err, fs.ErrNotExist) {
			return conn, err
		}
	} else {
		dir, err := wire.RuntimeDir()
		if err != nil {
			return nil, err
		}
		k.file = filepath.Join(dir, fmt.Sprintf("kernel-%d-%s.json", os.Getpid(), wire.NewID()[:8]))
	}
	k.created = true
	return wire.NewConnection(), nil
}

// writeConnection fills in the ports that the system chose. Clients wait for the
// file, so it is written when every socket listens.
func (k *Kernel) writeConnection() error {
	c := k.connection
	for _, s := range []struct {
		dst  *int
		from socket
	}{
		{&c.ShellPort, k.shellSock}, {&c.ControlPort, k.controlSock}, {&c.StdinPort, k.stdin},
		{&c.IOPubPort, k.publisher.pub}, {&c.HBPort, k.hb},
	} {
		port, err := portOf(s.from.Addr())
		if err != nil {
			return err
		}
		*s.dst = port
	}
	return c.Create(k.file)
}

// ConnectionFile is the path that clients need.
func (k *Kernel) ConnectionFile() string { return k.file }

// Files are the paths in the file system that Close removes.
func (k *Kernel) Files() []string {
	var paths []string
	if k.created {
		paths = append(paths, k.file)
	}
	for _, s := range k.sockets() {
		if a, ok := s.Addr().(*net.UnixAddr); ok {
			paths = append(paths, a.Name)
		}
	}
	return paths
}

// sockets are those that have been opened.
func (k *Kernel) sockets() []socket {
	var all []socket
	for _, r := range []wire.Router{k.shellSock, k.controlSock, k.stdin} {
		if r != nil {
			all = append(all, r)
		}
	}
	if k.publisher != nil && k.publisher.pub != nil {
		all = append(all, k.publisher.pub)
	}
	if k.hb != nil {
		all = append(all, k.hb)
	}
	return all
}

// socket is what all kinds of sockets have.
type socket interface {
	Addr() net.Addr
	Close() error
}

func (k *Kernel) socket(c Channel) wire.Router {
	return [...]wire.Router{Shell: k.shellSock, Control: k.controlSock, Stdin: k.stdin}[c]
}

func (k *Kernel) header(messageType string) wire.Header {
	return wire.Header{
		MsgID: wire.NewID(), Session: k.session, Username: k.username,
		Date: wire.FormatDate(time.Now()), MsgType: messageType, Version: protocolVersion,
	}
}

// welcome greets a new subscriber, and only it: clients that know the message wait
// for it instead of guessing when their subscription holds.
func (k *Kernel) welcome(topic string) [][]byte {
	frames, err := k.signer.Encode(&wire.Message{
		Idents: [][]byte{[]byte(topic)}, Header: k.header("iopub_welcome"),
		Content: encode(struct {
			Subscription string `json:"subscription"`
		}{topic}),
	})
	if err != nil {
		k.log.Printf("iopub_welcome: %v", err)
		return nil
	}
	return frames
}

// tellOfCutOff writes below what runs that a subscriber is gone: if it was the notebook's, some output is missing
// there.
func (k *Kernel) tellOfCutOff(peer string, unsent int64) {
	out := k.LastOutput()
	if out == nil {
		return
	}
	out.k.publisher.collect(out, "stderr", fmt.Sprintf("weft: the client at %s did not read its output and was disconnected, with %d MiB unread\n", peer, unsent>>20))
}

// finish ends Wait. The first caller's reason counts.
func (k *Kernel) finish(e Exit) {
	k.finishOnce.Do(func() {
		k.exit = e
		k.shells.close()
		close(k.done)
	})
}

// Wait returns when a client has asked for the end, the parent process is gone, or
// Close was called.
func (k *Kernel) Wait() Exit {
	<-k.done
	return k.exit
}

// Done is closed when Wait would return.
func (k *Kernel) Done() <-chan struct{} { return k.done }

// Close sends what is queued and closes the sockets. A request that is still in
// Evaluator.Do has until the drain limit to return; what it publishes later is lost.
func (k *Kernel) Close() error {
	var err error
	k.closeOnce.Do(func() {
		k.finish(Exit{Reason: "closed"})
		limit := k.drain
		late := time.After(limit)
		for _, s := range k.shells.all() {
			select {
			case <-s.done:
				continue
			case <-late:
			}
			k.log.Printf("closing although a request did not end within %v", limit)
			break
		}
		if c := k.capture.Load(); c != nil {
			err = c.Restore()
		}
		k.publisher.flushAll()
		err = errors.Join(err, k.closeSockets())
		k.receivers.Wait()
		if k.created {
			err = errors.Join(err, os.Remove(k.file))
		}
		close(k.closed)
	})
	return err
}

// closeSockets closes all that are open, at the same time: each may have to drain.
func (k *Kernel) closeSockets() error {
	all := k.sockets()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() { errs[i] = c.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Logf writes to the kernel's log, which is never the notebook.
func (k *Kernel) Logf(format string, args ...any) { k.log.Printf(format, args...) }

// recoverTo keeps a panic from ending the process and the user's data with it.
func (k *Kernel) recoverTo(what string) {
	if r := recover(); r != nil {
		k.log.Printf("BUG: panic in %s: %v\n%s", what, r, debug.Stack())
	}
}
