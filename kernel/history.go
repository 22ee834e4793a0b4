package kernel

// HistoryRequest asks for earlier input.
type HistoryRequest struct {
	Output         bool   `json:"output"`
	Raw            bool   `json:"raw"`
	HistAccessType string `json:"hist_access_type"` // "range", "tail" or "search"
	Session        int    `json:"session"`          // range: 0 is this one, negative counts back
	Start          int    `json:"start"`
	Stop           int    `json:"stop"`
	N              int    `json:"n"` // tail, search
	Pattern        string `json:"pattern"`
	Unique         bool   `json:"unique"`
}

// HistoryReply lists (session, line number, input) or (session, line number,
// (input, output)).
type HistoryReply struct {
	Status  string   `json:"status"`
	History [][3]any `json:"history"`
}
