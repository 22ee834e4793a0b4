package kernel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/kernel/wire"
)

// Output publishes on iopub on behalf of one request. It stays valid after the
// request has been answered, so that a thread that the cell started keeps writing
// below that cell. It may be used by several threads at once.
//
// Publish and Stream wait while a client is far behind; a caller with a lock that
// others need (Python's) has to release it first.
type Output struct {
	k          *Kernel
	parent     json.RawMessage // the request's header, as received
	id         string          // its msg_id
	idents     [][]byte        // of the client, for stdin
	allowStdin bool
	silent     bool

	mu   sync.Mutex
	kept printed
}

// Printed is text that a request wrote to one of its streams.
type Printed struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// printed keeps the beginning of what a request writes.
type printed struct {
	list []Printed
	size int
}

// keepPrinted is how many bytes are kept of a request's text: a notebook that is made of the history shows the
// beginning of a flood, and a session of floods does not fill the memory.
const keepPrinted = 64 << 10

func (o *Output) keep(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := &o.kept
	if k.size > keepPrinted {
		return
	}
	if k.size += len(text); k.size > keepPrinted {
		room := len(text) - (k.size - keepPrinted)
		text = text[:wholeRunes([]byte(text[:room]))] + "\n[the rest is not kept]\n"
	}
	k.list = append(k.list, Printed{name, strings.Clone(text)})
}

// TakePrinted returns the text that the request has written since it was last asked, at most the first 64 KiB.
func (o *Output) TakePrinted() []Printed {
	o.k.DrainCapture()
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.kept.list
	o.kept.list = nil
	return list
}

// ParentID is the msg_id of the request.
func (o *Output) ParentID() string { return o.id }

// ParentHeader is the request's header as it was received.
func (o *Output) ParentHeader() json.RawMessage { return o.parent }

// Stream writes to "stdout" or "stderr". Text is collected and sent as few messages;
// see stream.go.
func (o *Output) Stream(name, text string) {
	if text == "" {
		return
	}
	// What the cell wrote to the file descriptor before belongs before this.
	o.k.DrainCapture()
	o.k.publisher.stream(o, name, text)
}

// Collected is Stream for text that was written before what the descriptors hold now.
func (o *Output) Collected(name, text string) { o.k.publisher.stream(o, name, text) }

// Flush sends what Stream has collected.
func (o *Output) Flush() {
	o.k.DrainCapture()
	o.k.publisher.flush(o.id)
}

// Publish sends one message. The content has to be valid JSON; the buffers must not
// be changed afterwards. What a silent request must not show is left out.
func (o *Output) Publish(messageType string, content, metadata json.RawMessage, buffers [][]byte) error {
	i := slices.IndexFunc(outputs, func(r outputRow) bool { return r.messageType == messageType })
	if i < 0 {
		return fmt.Errorf("message type %q cannot be published; see outputs in kernel/display.go", messageType)
	}
	if o.silent && outputs[i].silenced {
		return nil
	}
	o.k.DrainCapture()
	return o.k.publisher.output(o, messageType, content, metadata, buffers)
}

// Emit is Publish for one of the structs of this package.
func (o *Output) Emit(p Published) error {
	return o.Publish(p.messageType(), encode(p), nil, nil)
}

// outputFor makes the Output of a request.
func (k *Kernel) outputFor(in *incoming) *Output {
	o := &Output{k: k, parent: in.RawHeader, id: in.Header.MsgID, idents: in.Idents}
	if x, ok := in.body.(*ExecuteRequest); ok {
		o.allowStdin, o.silent = x.AllowStdin, x.Silent
	}
	return o
}

// OutputFor publishes with an explicit parent header, which must be that of an
// earlier request; nil stands for no parent. It cannot ask for input.
func (k *Kernel) OutputFor(parentHeader json.RawMessage) (*Output, error) {
	if len(parentHeader) == 0 {
		return &Output{k: k}, nil
	}
	var h wire.Header
	if err := json.Unmarshal(parentHeader, &h); err != nil {
		return nil, fmt.Errorf("parent header: %w", err)
	}
	return &Output{k: k, parent: parentHeader, id: h.MsgID}, nil
}
