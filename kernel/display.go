package kernel

import "encoding/json"

// Published is a content that goes to iopub: one of the structs below, or a comm's.
type Published interface{ messageType() string }

// Data is one value in several MIME types. Text is a JSON string, JSON is itself.
type Data map[string]json.RawMessage

// ExecuteInput tells all clients what is being run, and under which number.
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// ExecuteResult is the value of a cell's last expression.
type ExecuteResult struct {
	ExecutionCount int             `json:"execution_count"`
	Data           Data            `json:"data"`
	Metadata       json.RawMessage `json:"metadata"`
}

// Transient says which display a later UpdateDisplayData replaces.
type Transient struct {
	DisplayID string `json:"display_id,omitempty"`
}

// DisplayData shows a value.
type DisplayData struct {
	Data      Data            `json:"data"`
	Metadata  json.RawMessage `json:"metadata"`
	Transient Transient       `json:"transient"`
}

// UpdateDisplayData replaces every display with the same display_id.
type UpdateDisplayData DisplayData

// Failure is an exception, as clients show it. Traceback lines may hold ANSI colours.
type Failure struct {
	EName     string   `json:"ename"`
	EValue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// ClearOutput empties the cell's output; with Wait only when the next output comes.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

func (ExecuteInput) messageType() string      { return "execute_input" }
func (ExecuteResult) messageType() string     { return "execute_result" }
func (DisplayData) messageType() string       { return "display_data" }
func (UpdateDisplayData) messageType() string { return "update_display_data" }
func (Failure) messageType() string           { return "error" }
func (ClearOutput) messageType() string       { return "clear_output" }

// outputRow is one message that an evaluator may publish.
type outputRow struct {
	messageType string
	silenced    bool // a silent request keeps it back
}

// outputs lists them. Streams have their own way, status is the kernel's.
var outputs = []outputRow{
	{"execute_input", true},
	{"execute_result", true},
	{"display_data", false},
	{"update_display_data", false},
	{"error", false},
	{"clear_output", false},
	{"comm_open", false},
	{"comm_msg", false},
	{"comm_close", false},
	{"debug_event", false},
}
