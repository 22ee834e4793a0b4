package kernel

import (
	"encoding/json"
	"errors"
	"time"

	"weft/kernel/wire"
)

// ExecuteRequest asks to run code.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`        // no execute_input, no result, no history
	StoreHistory    bool              `json:"store_history"` // counts as a numbered cell
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`
}

// UnmarshalJSON fills in the defaults of the protocol. allow_stdin defaults to
// false, as in ipykernel: a client that does not name it will not answer.
func (r *ExecuteRequest) UnmarshalJSON(b []byte) error {
	var in struct {
		Code            *string           `json:"code"`
		Silent          bool              `json:"silent"`
		StoreHistory    *bool             `json:"store_history"`
		UserExpressions map[string]string `json:"user_expressions"`
		AllowStdin      bool              `json:"allow_stdin"`
		StopOnError     *bool             `json:"stop_on_error"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if in.Code == nil {
		return errors.New("field code is missing")
	}
	*r = ExecuteRequest{
		Code: *in.Code, Silent: in.Silent, StoreHistory: !in.Silent,
		UserExpressions: in.UserExpressions, AllowStdin: in.AllowStdin, StopOnError: true,
	}
	if in.StoreHistory != nil {
		r.StoreHistory = *in.StoreHistory && !in.Silent
	}
	if in.StopOnError != nil {
		r.StopOnError = *in.StopOnError
	}
	// What front ends run for themselves is silent: that it fails is no reason to skip the user's cells.
	r.StopOnError = r.StopOnError && !in.Silent
	return nil
}

// ExecuteReply reports success; failure is an ErrorReply with an ExecutionCount.
type ExecuteReply struct {
	Status          string                     `json:"status"` // "ok"
	ExecutionCount  int                        `json:"execution_count"`
	UserExpressions map[string]json.RawMessage `json:"user_expressions"`
	Payload         []json.RawMessage          `json:"payload"`
}

// handleExecute runs a cell. When it fails and asked for it, the cells that wait
// behind it are aborted: the user sent them believing that this one would succeed.
func handleExecute(k *Kernel, in *incoming) Reply {
	if in.aborted {
		return Reply{Content: json.RawMessage(`{"status":"aborted"}`), Metadata: encode(map[string]any{"status": "aborted"})}
	}
	started := time.Now()
	reply := handleDo(k, in)
	reply.Metadata = withStarted(reply.Metadata, started)
	if statusOf(reply.Content) == "error" && in.body.(*ExecuteRequest).StopOnError {
		in.shell.queue.abortExecutes()
	}
	return reply
}

// statusOf reads the one field of a reply that the kernel acts on.
func statusOf(content json.RawMessage) string {
	var s struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(content, &s) != nil {
		return ""
	}
	return s.Status
}

// withStarted adds what JupyterLab reads for its cell times. Metadata that is no
// object is left alone.
func withStarted(metadata json.RawMessage, started time.Time) json.RawMessage {
	md := map[string]json.RawMessage{}
	if len(metadata) > 0 && json.Unmarshal(metadata, &md) != nil {
		return metadata
	}
	if _, ok := md["started"]; !ok {
		md["started"] = encode(wire.FormatDate(started))
	}
	return encode(md)
}
