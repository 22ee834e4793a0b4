package kernel

import (
	"encoding/json"
)

// Evaluator runs the code.
type Evaluator interface {
	// Do answers one request. It is called for one request of a shell at a time, but for several
	// shells at once, and may take as long as the code takes. The reply's content must be what the
	// protocol asks of the reply to req.Type; for a one-way message (comm_open,
	// comm_msg, comm_close) the reply is ignored.
	Do(req *Request) Reply
	// Interrupt asks the code that runs in the main shell, of the request with this Out, to stop. It is called from
	// the control goroutine, and just before Do of that request at the earliest; Do may return meanwhile. It must not
	// block.
	Interrupt(out *Output)
	// Info describes the language. It is called once, by Start, and must not block.
	Info() LanguageInfo
	// CloseShell says that no request will come for a subshell any more. It must not block.
	CloseShell(id string)
	// Shutdown says that no further request will come. It must not block, nor call
	// Kernel.Close itself. A Do that is running should return soon.
	Shutdown(restart bool)
}

// Request is one message for the evaluator.
type Request struct {
	Type     string          // "execute_request", "complete_request", ...
	Shell    string          // which shell it is for; "" is the main one
	Body     any             // the decoded content: *ExecuteRequest, *CompleteRequest, ...
	Content  json.RawMessage // the same as it was received
	Metadata json.RawMessage
	Buffers  [][]byte
	Out      *Output // publishes with this request as the parent; may be kept

	Interrupted bool // Interrupt was asked for before Do
}

// Reply answers a Request.
type Reply struct {
	Content  json.RawMessage // the reply's content; nil means {"status": "ok"}
	Metadata json.RawMessage
	Buffers  [][]byte
}

// ReplyOf makes a Reply from one of the reply structs of this package.
func ReplyOf(content any) Reply { return Reply{Content: encode(content)} }

// ErrorReply is the content of every reply that reports a failure.
type ErrorReply struct {
	Status    string   `json:"status"` // "error"
	EName     string   `json:"ename"`
	EValue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	// ExecutionCount belongs into execute replies, and only there.
	ExecutionCount *int `json:"execution_count,omitempty"`
}

func errorReply(ename, evalue string) ErrorReply {
	return ErrorReply{Status: "error", EName: ename, EValue: evalue, Traceback: []string{}}
}

// LanguageInfo is what kernel_info says about the language.
type LanguageInfo struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	MimeType          string `json:"mimetype"`
	FileExtension     string `json:"file_extension"`
	PygmentsLexer     string `json:"pygments_lexer"`
	CodeMirrorMode    any    `json:"codemirror_mode"`
	NBConvertExporter string `json:"nbconvert_exporter"`
}

// Python is the language as ipykernel describes it, so that highlighting, export
// and the tools that look for a Python kernel work unchanged.
func Python(version string) LanguageInfo {
	return LanguageInfo{
		Name: "python", Version: version, MimeType: "text/x-python", FileExtension: ".py",
		PygmentsLexer: "ipython3", NBConvertExporter: "python",
		CodeMirrorMode: map[string]any{"name": "ipython", "version": 3},
	}
}

// ByteOffset turns a position in code points, as the protocol counts, into one in
// bytes. A position beyond the end is the end.
func ByteOffset(code string, points int) int {
	for i := range code {
		if points <= 0 {
			return i
		}
		points--
	}
	return len(code)
}
