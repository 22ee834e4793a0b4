package kernel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/kernel/wire"
)

// subshell makes one.
func (c *client) subshell() string {
	c.t.Helper()
	var made CreateSubshellReply
	id := c.send("control", "create_subshell_request", "{}")
	if err := json.Unmarshal(c.reply("control", id).Content, &made); err != nil || made.SubshellID == "" {
		c.t.Fatalf("create_subshell_reply: %+v, %v", made, err)
	}
	return made.SubshellID
}

// holding starts a cell that holds until it is told to go on.
func holding(c *client, e *echo, subshell string) string {
	c.t.Helper()
	id := c.executeIn(subshell, "hold")
	<-e.started
	return id
}

func TestSubshellsRunBesideTheMainShell(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	main := holding(c, e, "")
	one, other := c.subshell(), c.subshell()

	held := holding(c, e, one)
	id := c.executeIn(other, "print beside")
	if text := streamText(t, c.outputs(id)); text != "beside\n" {
		t.Errorf("the subshell's cell printed %q", text)
	}
	if m := c.reply("shell", id); status(m) != "ok" {
		t.Errorf("reply %s", m.Content)
	}

	// An interrupt is for the main shell.
	c.reply("control", c.send("control", "interrupt_request", "{}"))
	if m := c.reply("shell", main); status(m) != "error" {
		t.Errorf("the interrupted cell's reply is %s", m.Content)
	}
	e.resume <- struct{}{}
	if m := c.reply("shell", held); status(m) != "ok" {
		t.Errorf("an interrupt hit the subshell: %s", m.Content)
	}
}

func TestSubshellsAreListedAndDeleted(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	one, other := c.subshell(), c.subshell()
	list := func() []string {
		var r ListSubshellReply
		if err := json.Unmarshal(c.reply("control", c.send("control", "list_subshell_request", "{}")).Content, &r); err != nil {
			t.Fatal(err)
		}
		return r.SubshellIDs
	}
	if got := list(); !slices.Equal(got, []string{one, other}) {
		t.Fatalf("listed %v, wanted %v", got, []string{one, other})
	}
	running := holding(c, e, one)
	waiting := c.executeIn(one, "print never")
	c.queued()
	remove := fmt.Sprintf(`{"subshell_id":%q}`, one)
	if m := c.reply("control", c.send("control", "delete_subshell_request", remove)); status(m) != "ok" {
		t.Fatalf("delete_subshell_reply %s", m.Content)
	}
	if m := c.reply("shell", waiting); status(m) != "error" || !strings.Contains(string(m.Content), "was deleted") {
		t.Errorf("what waited in the deleted subshell got %s", m.Content)
	}
	e.resume <- struct{}{}
	if m := c.reply("shell", running); status(m) != "ok" {
		t.Errorf("what ran in the deleted subshell got %s", m.Content)
	}
	if id := <-e.gone; id != one {
		t.Errorf("the evaluator closed %q, wanted %q", id, one)
	}
	if got := list(); !slices.Equal(got, []string{other}) {
		t.Errorf("listed %v, wanted %v", got, []string{other})
	}
	late := c.executeIn(one, "print late")
	if m := c.reply("shell", late); status(m) != "error" || !strings.Contains(string(m.Content), "there is no subshell") {
		t.Errorf("a cell for a deleted subshell got %s", m.Content)
	}
	if m := c.reply("control", c.send("control", "delete_subshell_request", remove)); status(m) != "error" {
		t.Errorf("deleting twice got %s", m.Content)
	}
}

func TestErrorsAbortTheirOwnShell(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	sub := c.subshell()
	main := holding(c, e, "")
	behind := c.execute("print ran")
	failed := c.executeIn(sub, "raise ValueError no")
	if m := c.reply("shell", failed); status(m) != "error" {
		t.Fatalf("reply %s", m.Content)
	}
	e.resume <- struct{}{}
	for _, id := range []string{main, behind} {
		if m := c.reply("shell", id); status(m) != "ok" {
			t.Errorf("a failure in a subshell aborted the main shell's cell: %s", m.Content)
		}
	}
}

func TestQuestionsAreAnsweredBesideACell(t *testing.T) {
	k, e, _ := start(t, func(o *Options) { o.Question = func(code string) bool { return code == "print why" } })
	c := newClient(t, k)
	main := holding(c, e, "")
	for _, q := range []struct{ request, content string }{
		{"complete_request", `{"code":"a","cursor_pos":1}`},
		{"inspect_request", `{"code":"a","cursor_pos":1}`},
		{"is_complete_request", `{"code":"a"}`},
		{"history_request", `{"hist_access_type":"tail","n":1}`},
		{"comm_info_request", `{}`},
		{"execute_request", `{"code":"print why"}`},
	} {
		id := c.send("shell", q.request, q.content)
		if m := c.reply("shell", id); status(m) == "error" {
			t.Errorf("%s beside a cell: %s", q.request, m.Content)
		}
		// The cell's busy is said again after the idle of what was answered beside it.
		c.outputs(id)
		if m := c.next("iopub"); m.ParentID() != main || !strings.Contains(string(m.Content), "busy") {
			t.Errorf("after %s: %s %s", q.request, m.Header.MsgType, m.Content)
		}
	}
	waits := c.send("shell", "comm_msg", `{"comm_id":"c1","data":{}}`)
	c.queued()
	e.resume <- struct{}{}
	c.reply("shell", main)
	c.outputs(waits)
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.log); e.log[n-1] != "comm_msg" {
		t.Errorf("the order of requests was %v", e.log)
	}
}

func TestEachShellGetsItsOwnAnswers(t *testing.T) {
	k, _, _ := start(t, nil)
	c := newClient(t, k)
	sub := c.subshell()
	main := c.execute("input main?")
	first := c.next("stdin")
	other := c.executeIn(sub, "input sub?")
	second := c.next("stdin")
	if first.ParentID() != main || second.ParentID() != other {
		t.Fatal("the questions have the wrong parents")
	}
	for _, q := range []struct {
		question    *wire.Message
		cell, value string
	}{{second, other, "of the subshell"}, {first, main, "of the main shell"}} {
		c.answer(q.question, q.value)
		if text := streamText(t, c.outputs(q.cell)); text != q.value+"\n" {
			t.Errorf("got %q, wanted %q", text, q.value)
		}
		c.reply("shell", q.cell)
	}
}
