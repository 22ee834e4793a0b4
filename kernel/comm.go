package kernel

import "encoding/json"

// A comm is a channel between an object in the kernel and one in the browser. The
// kernel only forwards: comm_open, comm_msg and comm_close arrive on shell and go to
// the evaluator; its own go out on iopub through Output.Publish. An evaluator that
// does not know the target of a comm_open answers it with a comm_close.

// CommOpen begins a comm.
type CommOpen struct {
	CommID       string          `json:"comm_id"`
	TargetName   string          `json:"target_name"`
	TargetModule string          `json:"target_module,omitempty"`
	Data         json.RawMessage `json:"data"`
}

// CommMsg is one message on a comm.
type CommMsg struct {
	CommID string          `json:"comm_id"`
	Data   json.RawMessage `json:"data"`
}

// CommClose ends a comm.
type CommClose struct {
	CommID string          `json:"comm_id"`
	Data   json.RawMessage `json:"data"`
}

// CommInfoRequest asks for the comms that exist, or for those of one target.
type CommInfoRequest struct {
	TargetName string `json:"target_name"`
}

// CommInfoReply lists them by identifier.
type CommInfoReply struct {
	Status string              `json:"status"`
	Comms  map[string]CommInfo `json:"comms"`
}

// CommInfo is one of them.
type CommInfo struct {
	TargetName string `json:"target_name"`
}

func (CommOpen) messageType() string  { return "comm_open" }
func (CommMsg) messageType() string   { return "comm_msg" }
func (CommClose) messageType() string { return "comm_close" }
