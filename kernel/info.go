package kernel

// protocolVersion is what the kernel says it speaks. For what there is besides, clients look at
// supported_features.
const protocolVersion = "5.5"

// KernelInfoReply describes the kernel.
type KernelInfoReply struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	HelpLinks             []HelpLink   `json:"help_links"`
	SupportedFeatures     []string     `json:"supported_features"`
	Debugger              bool         `json:"debugger"` // the older form of a supported feature
}

// HelpLink is an entry of the front end's Help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// handleKernelInfo answers without the evaluator: a client that waits for the kernel
// gets its answer while Python is still importing, and while a cell runs.
func handleKernelInfo(k *Kernel, _ *incoming) Reply { return ReplyOf(k.info) }

// ConnectReply lists the ports, for clients that know only the shell's.
type ConnectReply struct {
	Status  string `json:"status"`
	Shell   int    `json:"shell_port"`
	IOPub   int    `json:"iopub_port"`
	Stdin   int    `json:"stdin_port"`
	Control int    `json:"control_port"`
	HB      int    `json:"hb_port"`
}

func handleConnect(k *Kernel, _ *incoming) Reply {
	c := k.connection
	return ReplyOf(ConnectReply{"ok", c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort})
}
