package kernel

import "weft/kernel/usage"

// ShutdownRequest ends the kernel; with Restart the client starts another.
type ShutdownRequest struct {
	Restart bool `json:"restart"`
}

// ShutdownReply confirms. It goes to iopub too, where the other clients see it.
type ShutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

func (ShutdownReply) messageType() string { return "shutdown_reply" }

// handleInterrupt stops the running code, and its wait for input if it has one.
func handleInterrupt(k *Kernel, _ *incoming) Reply {
	k.interrupt()
	return Reply{}
}

// handleShutdown stops the running code and confirms. The evaluator learns of it
// only when reply and idle are queued, because it may end the process at once.
func handleShutdown(k *Kernel, in *incoming) Reply {
	restart := in.body.(*ShutdownRequest).Restart
	k.shells.close()
	k.interrupt()
	reply := ShutdownReply{"ok", restart}
	if err := k.publisher.send(reply.messageType(), in.RawHeader, in.Header.MsgID, encode(reply), nil, nil); err != nil {
		k.log.Printf("shutdown_reply on iopub: %v", err)
	}
	in.after = func() {
		k.evaluator.Shutdown(restart)
		k.finish(Exit{Restart: restart, Reason: "shutdown requested by a client"})
	}
	return ReplyOf(reply)
}

// UsageReply says what the kernel uses of the machine. The message is ipykernel's; indicators of
// memory and processors in front ends ask for it.
type UsageReply struct {
	Status string `json:"status"`
	usage.Usage
}

// handleUsage answers without the evaluator.
func handleUsage(k *Kernel, _ *incoming) Reply {
	u, err := k.meter.Read()
	if err != nil {
		k.log.Printf("usage: %v", err)
	}
	return ReplyOf(UsageReply{"ok", u})
}
