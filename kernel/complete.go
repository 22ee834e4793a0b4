package kernel

import "encoding/json"

// CompleteRequest asks what could stand at the cursor. CursorPos counts code points.
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"`
}

// CompleteReply replaces the code points from CursorStart to CursorEnd.
type CompleteReply struct {
	Status      string          `json:"status"`
	Matches     []string        `json:"matches"`
	CursorStart int             `json:"cursor_start"`
	CursorEnd   int             `json:"cursor_end"`
	Metadata    json.RawMessage `json:"metadata"` // an object; {} for none
}

// InspectRequest asks about the name at the cursor. CursorPos counts code points.
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// InspectReply carries the answer by MIME type.
type InspectReply struct {
	Status   string                     `json:"status"`
	Found    bool                       `json:"found"`
	Data     map[string]json.RawMessage `json:"data"`
	Metadata json.RawMessage            `json:"metadata"` // an object; {} for none
}

// IsCompleteRequest asks whether a console should run the code or let the user go on.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// IsCompleteReply has the status "complete", "incomplete", "invalid" or "unknown".
type IsCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"` // with "incomplete"
}
