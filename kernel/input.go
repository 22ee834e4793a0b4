package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"weft/kernel/wire"
)

var (
	// ErrNoStdin is returned when the client did not offer to answer.
	ErrNoStdin = errors.New("input was requested, but this frontend does not support input requests")
	// ErrInterrupted is returned when the wait for input was cancelled.
	ErrInterrupted = errors.New("interrupted while waiting for input")
)

// InputRequest asks the user for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputReply is the line.
type InputReply struct {
	Value string `json:"value"`
}

// Input asks and waits.
func (o *Output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if err := o.AskInput(prompt, password); err != nil {
		return "", err
	}
	return o.AwaitInput(ctx)
}

// AskInput sends the question to the client that sent the request. Answers to
// earlier questions, and a cancellation that nobody waited for, are forgotten. An
// evaluator with signals of its own looks for them between AskInput and AwaitInput,
// and may call AwaitInput again after an ErrInterrupted that was none.
func (o *Output) AskInput(prompt string, password bool) error {
	k := o.k
	if !o.allowStdin {
		return ErrNoStdin
	}
	o.Flush() // the question follows what the cell has said so far
	h := k.header("input_request")
	k.input.begin(h.MsgID)
	frames, err := k.signer.Encode(&wire.Message{
		Idents: o.idents, Header: h, Parent: o.parent,
		Content: encode(InputRequest{prompt, password}),
	})
	if err != nil {
		return err
	}
	if err := k.stdin.Send(frames); err != nil {
		return fmt.Errorf("input_request: %w", err)
	}
	return nil
}

// AwaitInput waits for the answer to the last AskInput. It ends with ErrInterrupted
// when the client interrupts, when CancelInput is called, or when ctx is done.
func (o *Output) AwaitInput(ctx context.Context) (string, error) {
	select {
	case v := <-o.k.input.replies:
		return v, nil
	case <-o.k.input.cancel:
	case <-ctx.Done():
	case <-o.k.done:
	}
	return "", ErrInterrupted
}

// CancelInput ends a wait in AwaitInput. Without one it has no effect on later
// questions.
func (k *Kernel) CancelInput() {
	select {
	case k.input.cancel <- struct{}{}:
	default:
	}
}

// inputDesk connects the stdin receiver with the request that waits.
type inputDesk struct {
	replies chan string   // one deep; filled only while a question is open
	cancel  chan struct{} // one deep

	mu   sync.Mutex
	open string // msg_id of the question that has no answer yet
}

func newInputDesk() *inputDesk {
	return &inputDesk{replies: make(chan string, 1), cancel: make(chan struct{}, 1)}
}

// begin opens a question and forgets everything about earlier ones.
func (d *inputDesk) begin(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	drain(d.replies)
	drain(d.cancel)
	d.open = id
}

// take accepts an answer to the open question. An answer that names another one is
// stale: the user answered a prompt whose cell was interrupted. Some clients name none.
func (d *inputDesk) take(id, value string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == "" {
		return errors.New("nothing was asked")
	}
	if id != "" && id != d.open {
		return fmt.Errorf("it answers the earlier question %s", id)
	}
	d.open = ""
	d.replies <- value
	return nil
}

func drain[T any](c chan T) {
	select {
	case <-c:
	default:
	}
}

func handleInputReply(k *Kernel, in *incoming) Reply {
	if err := k.input.take(in.ParentID(), in.body.(*InputReply).Value); err != nil {
		k.log.Printf("stdin: input_reply %s dropped: %v", in.Header.MsgID, err)
	}
	return Reply{}
}
