package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/internal/datadriven"
)

// unstable are the parts of a message that differ from run to run.
var unstable = regexp.MustCompile(`"started":"[^"]*"|"subshell_id":(\["[^"]*"\]|"[^"]*")|"(shell|iopub|stdin|control|hb)_port":\d+`)

// figures is what differs in a usage_reply: all figures and the host's name.
var figures = regexp.MustCompile(`"(hostname)":"[^"]*"|"(\w+)":[0-9.e+-]+`)

// TestTranscripts plays the files in testdata against a kernel:
//
//	CHANNEL MESSAGE_TYPE    content below; prints iopub up to idle, then the reply
//	code                    short for an execute_request with that code
//	answer VALUE            as a word of the line: how the client answers a question
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		k, _, _ := start(t, nil)
		c := newClient(t, k)
		return func(t *testing.T, cs *datadriven.Case) string {
			channel, request, content := "shell", "execute_request", strings.TrimSpace(cs.Input)
			switch cs.Cmd {
			case "code":
				content = string(encode(map[string]any{"code": content, "allow_stdin": cs.Has("answer")}))
			default:
				channel, request = cs.Cmd, cs.String("type", "")
			}
			id := c.send(channel, request, content)
			var b strings.Builder
			if cs.Has("answer") {
				q := c.next("stdin")
				if q.ParentID() != id || q.Header.MsgType != "input_request" {
					t.Fatalf("%s: got %s for %s on stdin", cs.Pos, q.Header.MsgType, q.ParentID())
				}
				c.send("stdin", "input_reply", fmt.Sprintf(`{"value":%q}`, cs.String("answer", "")))
				fmt.Fprintf(&b, "stdin input_request %s\n", q.Content)
			}
			for _, line := range c.outputs(id) {
				fmt.Fprintf(&b, "iopub %s\n", line)
			}
			if r := routeFor(map[string]Channel{"shell": Shell, "control": Control}[channel], request); r != nil && r.reply != "" {
				m := c.reply(channel, id)
				content := string(m.Content)
				if m.Header.MsgType == "usage_reply" {
					content = figures.ReplaceAllString(content, `"$1$2":"-"`)
				}
				fmt.Fprintf(&b, "%s %s %s %s\n", channel, m.Header.MsgType, content, m.Metadata)
			}
			return unstable.ReplaceAllStringFunc(b.String(), func(s string) string {
				name, _, _ := strings.Cut(s, ":")
				return name + `:"-"`
			})
		}
	})
}

// TestEveryRequestHasATranscript names the request that the files in testdata leave out.
func TestEveryRequestHasATranscript(t *testing.T) {
	var all strings.Builder
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, r := range routes {
		line := fmt.Sprintf("\n%s type=%s\n", r.channel, r.request)
		switch r.request {
		case "execute_request":
			line = "\ncode\n"
		case "input_reply":
			line = "answer="
		}
		if !strings.Contains(all.String(), line) {
			t.Errorf("no file in testdata has a case %q", strings.TrimSpace(line))
		}
	}
}
