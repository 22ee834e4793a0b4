package kernel

import (
	"encoding/json"
	"sync"
	"time"
	"unicode/utf8"

	"weft/kernel/wire"
)

const (
	// streamDelay is how long text may wait for more. Twenty messages a second per
	// cell stay far below the 1,000 a second above which Jupyter Server drops output,
	// and a reader does not notice.
	streamDelay = 50 * time.Millisecond
	// streamFull is the size at which collected text goes out at once.
	streamFull = 64 << 10
	// streamMax is the size of the largest single stream message.
	streamMax = 512 << 10
	// maxPieces bounds the switches between stdout and stderr that keep their order
	// within one delay. Beyond it text joins the last piece of the same name.
	maxPieces = 16
)

// publisher is the only writer to iopub. Its lock gives the order of messages;
// nothing below it waits for a client.
type publisher struct {
	pub    wire.Pub
	signer *wire.Signer
	header func(messageType string) wire.Header
	delay  time.Duration
	report func(error)

	mu      sync.Mutex
	pending map[string]*collected // by the parent's msg_id
}

// collected is stream text of one parent that has not been sent.
type collected struct {
	out    *Output
	pieces []piece
	size   int
	timer  *time.Timer
}

type piece struct {
	name string
	text []byte
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// stream collects text. It waits for slow clients first, never under the lock.
func (p *publisher) stream(o *Output, name, text string) {
	o.keep(name, text)
	for len(text) > 0 {
		n := min(len(text), streamMax)
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		p.pub.WaitRoom()
		p.collect(o, name, text[:n])
		text = text[n:]
	}
}

func (p *publisher) collect(o *Output, name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.pending[o.id]
	if c == nil {
		c = &collected{out: o}
		p.pending[o.id] = c
		c.timer = time.AfterFunc(p.delay, func() { p.flush(o.id) })
	}
	c.add(name, text)
	if c.size >= streamFull {
		p.flushLocked(o.id)
	}
}

func (c *collected) add(name, text string) {
	c.size += len(text)
	at := len(c.pieces) - 1
	if at >= 0 && c.pieces[at].name != name {
		if len(c.pieces) < maxPieces {
			at = -1
		} else if c.pieces[at-1].name == name {
			at--
		}
	}
	if at < 0 {
		c.pieces = append(c.pieces, piece{name: name})
		at = len(c.pieces) - 1
	}
	c.pieces[at].text = append(c.pieces[at].text, text...)
}

// flush sends the collected text of one parent.
func (p *publisher) flush(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushLocked(id)
}

// flushAll sends everything, before the sockets close.
func (p *publisher) flushAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.pending {
		p.flushLocked(id)
	}
}

func (p *publisher) flushLocked(id string) {
	c := p.pending[id]
	if c == nil {
		return
	}
	delete(p.pending, id)
	c.timer.Stop()
	for _, s := range c.pieces {
		frames, err := p.frames("stream", c.out.parent, encode(streamContent{s.name, string(s.text)}), nil, nil)
		p.sendLocked(frames, err)
	}
}

// output publishes what the evaluator shows. It waits for slow clients first.
func (p *publisher) output(o *Output, messageType string, content, metadata json.RawMessage, buffers [][]byte) error {
	p.pub.WaitRoom()
	return p.send(messageType, o.parent, o.id, content, metadata, buffers)
}

// send publishes at once, after the text that its parent has written so far.
func (p *publisher) send(messageType string, parent json.RawMessage, id string, content, metadata json.RawMessage, buffers [][]byte) error {
	frames, err := p.frames(messageType, parent, content, metadata, buffers)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushLocked(id)
	return p.pub.Send(frames)
}

func (p *publisher) sendLocked(frames [][]byte, err error) {
	if err == nil {
		err = p.pub.Send(frames)
	}
	if err != nil {
		p.report(err)
	}
}

// frames signs a message. Its topic is for clients that subscribe to less than all.
func (p *publisher) frames(messageType string, parent, content, metadata json.RawMessage, buffers [][]byte) ([][]byte, error) {
	h := p.header(messageType)
	return p.signer.Encode(&wire.Message{
		Idents: [][]byte{[]byte("kernel." + h.Session + "." + messageType)},
		Header: h, Parent: parent, Content: content, Metadata: metadata, Buffers: buffers,
	})
}
