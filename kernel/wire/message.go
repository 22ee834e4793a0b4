package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Delimiter stands between the routing identities and the signed part.
const Delimiter = "<IDS|MSG>"

// maxIdents bounds the search for the delimiter. A client behind proxies adds a
// few identities; a message without a delimiter must not be searched to its end.
const maxIdents = 16

// Header says what a message is. Date is ISO 8601 with a time zone.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
	// SubshellID names the subshell that a request is for; "" is the main shell.
	SubshellID string `json:"subshell_id,omitempty"`
}

// Message is one Jupyter message. The four parts are kept as the JSON that was
// received: an answer must carry the request's header unchanged, whatever fields
// it has, and most contents only pass through.
type Message struct {
	Idents    [][]byte // routing identities; a topic on iopub
	Header    Header
	RawHeader json.RawMessage // Header as received, or as it will be sent
	Parent    json.RawMessage // header of the request that this message belongs to; {} for none
	Metadata  json.RawMessage
	Content   json.RawMessage
	Buffers   [][]byte // raw bytes behind the message; not covered by the signature
}

// ParentID is the msg_id in the parent header, or "".
func (m *Message) ParentID() string {
	var h Header
	if json.Unmarshal(m.Parent, &h) != nil {
		return ""
	}
	return h.MsgID
}

// ErrNoDelimiter is reported for frames that are no Jupyter message at all.
var ErrNoDelimiter = errors.New("no " + Delimiter + " among the first frames")

// parts is a message cut into its frames, before the signature is checked.
type parts struct {
	idents    [][]byte
	signature []byte
	signed    [4][]byte // header, parent header, metadata, content
	buffers   [][]byte
}

// split finds the delimiter and cuts. It parses no JSON: that has to wait until
// the signature is known to be good.
func split(frames [][]byte) (parts, error) {
	at := -1
	for i := 0; i < len(frames) && i <= maxIdents; i++ {
		if string(frames[i]) == Delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return parts{}, ErrNoDelimiter
	}
	rest := frames[at+1:]
	if len(rest) < 5 {
		return parts{}, fmt.Errorf("%d frames after the delimiter, wanted at least 5 (signature, header, parent header, metadata, content)", len(rest))
	}
	return parts{
		idents:    frames[:at],
		signature: rest[0],
		signed:    [4][]byte(rest[1:5]),
		buffers:   rest[5:],
	}, nil
}

// Decode checks the signature of a message, refuses one that was seen before, and
// reads its header.
func (s *Signer) Decode(frames [][]byte) (*Message, error) {
	p, err := split(frames)
	if err != nil {
		return nil, err
	}
	if err := s.verify(p.signature, p.signed[:]); err != nil {
		return nil, err
	}
	m := &Message{
		Idents: p.idents, RawHeader: p.signed[0], Parent: p.signed[1],
		Metadata: p.signed[2], Content: p.signed[3], Buffers: p.buffers,
	}
	if err := json.Unmarshal(m.RawHeader, &m.Header); err != nil {
		return nil, fmt.Errorf("message header: %w", err)
	}
	if s.own != "" && strings.HasPrefix(m.Header.Session, s.own) {
		return nil, ErrOwn
	}
	if m.Header.MsgType == "" || m.Header.MsgID == "" {
		return nil, fmt.Errorf("message header has msg_type %q and msg_id %q, wanted both", m.Header.MsgType, m.Header.MsgID)
	}
	for i, name := range []string{"header", "parent header", "metadata", "content"} {
		if part := bytes.TrimLeft(p.signed[i], " \t\r\n"); len(part) == 0 || part[0] != '{' || !json.Valid(part) {
			return nil, fmt.Errorf("%s: %s of the message is not a JSON object", m.Header.MsgType, name)
		}
	}
	return m, nil
}

var emptyObject = json.RawMessage("{}")

// Encode signs a message and returns its frames. Empty parts are sent as {}. The
// content is sent as it is: the caller owes valid JSON.
func (s *Signer) Encode(m *Message) ([][]byte, error) {
	header := m.RawHeader
	if header == nil {
		var err error
		if header, err = json.Marshal(m.Header); err != nil {
			return nil, err
		}
	}
	signed := [][]byte{header, m.Parent, m.Metadata, m.Content}
	for i, part := range signed {
		if len(part) == 0 {
			signed[i] = emptyObject
		}
	}
	frames := make([][]byte, 0, len(m.Idents)+6+len(m.Buffers))
	frames = append(frames, m.Idents...)
	frames = append(frames, []byte(Delimiter), s.sign(signed))
	frames = append(frames, signed...)
	return append(frames, m.Buffers...), nil
}

// NewID makes a random identifier, a UUID of version 4, as Jupyter's own programs do.
func NewID() string { return uuid.NewString() }

// FormatDate is the date format of headers and of reply metadata.
func FormatDate(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
