package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Question is a line that the user has been asked for.
type Question struct {
	k         *Kernel
	id        string // msg_id of the input_request
	out       *Output
	answer    chan string   // one deep
	cancelled chan struct{} // one deep
}

// Input asks and waits.
func (o *Output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	q, err := o.AskInput(prompt, password)
	if err != nil {
		return "", err
	}
	defer q.Close()
	return q.Await(ctx)
}

// AskInput sends the question to the client that sent the request. The caller closes it.
func (o *Output) AskInput(prompt string, password bool) (*Question, error) {
	k := o.k
	if !o.allowStdin {
		return nil, ErrNoStdin
	}
	o.Flush() // the question follows what the cell has said so far
	h := k.header("input_request")
	q := &Question{k: k, id: h.MsgID, out: o, answer: make(chan string, 1), cancelled: make(chan struct{}, 1)}
	frames, err := k.signer.Encode(&wire.Message{
		Idents: o.idents, Header: h, Parent: o.parent,
		Content: encode(InputRequest{prompt, password}),
	})
	if err != nil {
		return nil, err
	}
	k.input.add(q)
	if err := k.stdin.Send(frames); err != nil {
		q.Close()
		return nil, fmt.Errorf("input_request: %w", err)
	}
	return q, nil
}

// Await waits for the answer. It ends with ErrInterrupted when the client interrupts the shell that asks, or when
// ctx is done. An evaluator with signals of its own may call it again after an ErrInterrupted that was none.
func (q *Question) Await(ctx context.Context) (string, error) {
	select {
	case v := <-q.answer:
		return v, nil
	case <-q.cancelled:
	case <-ctx.Done():
	case <-q.k.done:
	}
	return "", ErrInterrupted
}

// Close forgets the question: an answer that comes later is dropped.
func (q *Question) Close() { q.k.input.remove(q) }

// inputDesk connects the stdin receiver with the requests that wait.
type inputDesk struct {
	mu   sync.Mutex
	open []*Question // without an answer, in the order of asking
}

func (d *inputDesk) add(q *Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = append(d.open, q)
}

func (d *inputDesk) remove(q *Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = slices.DeleteFunc(d.open, func(one *Question) bool { return one == q })
}

// take accepts an answer. One that names a question which is not open is stale: the user answered a prompt whose cell
// was interrupted. Some clients name none: theirs is for the latest.
func (d *inputDesk) take(id, value string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.open, func(q *Question) bool { return q.id == id })
	switch {
	case len(d.open) == 0:
		return errors.New("nothing was asked")
	case id == "":
		i = len(d.open) - 1
	case i < 0:
		return fmt.Errorf("the question %s is not open", id)
	}
	d.open[i].answer <- value
	d.open = slices.Delete(d.open, i, i+1)
	return nil
}

// cancel wakes the waits for questions of a request.
func (d *inputDesk) cancel(out *Output) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.open {
		if q.out == out {
			select {
			case q.cancelled <- struct{}{}:
			default:
			}
		}
	}
}

func handleInputReply(k *Kernel, in *incoming) Reply {
	if err := k.input.take(in.ParentID(), in.body.(*InputReply).Value); err != nil {
		k.log.Printf("stdin: input_reply %s dropped: %v", in.Header.MsgID, err)
	}
	return Reply{}
}
