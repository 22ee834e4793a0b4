"""A front end's debugger: requests on the control channel, events from iopub."""

import queue

from conftest import TIMEOUT

# What JupyterLab sends.
CLIENT = {
    "clientID": "jupyterlab",
    "clientName": "JupyterLab",
    "adapterID": "weft",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsRunInTerminalRequest": True,
    "locale": "en",
}


class Debugging:
    """The debugger of a running kernel, as a client sees it."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.client = kernel.client
        self.number = 0
        self.seen = []  # messages of iopub that were not asked for yet

    def reply(self, content):
        """The content of the reply to a debug_request with any content."""
        request = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(request)
        while True:
            reply = self.client.get_control_msg(timeout=TIMEOUT)
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                assert reply["msg_type"] == "debug_reply"
                return reply["content"]

    def ask(self, command, **arguments):
        """The response to a request."""
        self.number += 1
        response = self.reply({"type": "request", "seq": self.number, "command": command, "arguments": arguments})
        assert response["type"] == "response"
        assert (response["request_seq"], response["command"]) == (self.number, command)
        return response

    def get(self, command, **arguments):
        """The body of the response to a request that must succeed."""
        response = self.ask(command, **arguments)
        assert response["success"], response
        return response["body"]

    def refusal(self, command, **arguments):
        """Why a request is refused, which it must be."""
        response = self.ask(command, **arguments)
        assert not response["success"], response
        assert response["message"]
        return response["message"]

    def begin(self, **attach):
        """Begin a session; returns what the debugger can do."""
        capabilities = self.get("initialize", **CLIENT)
        self.get("attach", **attach)
        return capabilities

    def path(self, code):
        return self.get("dumpCell", code=code)["sourcePath"]

    def stop_at(self, code, *lines, **details):
        """Set the breakpoints of a cell; returns its path."""
        path = self.path(code)
        wanted = [{"line": line, **details} for line in lines]
        found = self.get("setBreakpoints", source={"path": path}, breakpoints=wanted, lines=lines, sourceModified=False)
        assert [b["line"] for b in found["breakpoints"]] == list(lines)
        assert all(b["verified"] for b in found["breakpoints"])
        return path

    def message(self, wanted):
        """The next message of iopub that is wanted. Others are kept for later calls."""
        for i, message in enumerate(self.seen):
            if wanted(message):
                return self.seen.pop(i)
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            if wanted(message):
                return message
            self.seen.append(message)

    def event(self, name):
        """The body of the next event of a name."""
        found = self.message(lambda m: m["msg_type"] == "debug_event" and m["content"]["event"] == name)
        assert found["content"]["type"] == "event"
        return found["content"].get("body", {})

    def stopped(self):
        """The number of the thread that stops next, and its frames as (function, line)."""
        event = self.event("stopped")
        frames = self.get("stackTrace", threadId=event["threadId"])["stackFrames"]
        return event["threadId"], [(frame["name"], frame["line"]) for frame in frames]

    def frame(self, thread):
        """The number of the innermost frame."""
        return self.get("stackTrace", threadId=thread)["stackFrames"][0]["id"]

    def variables(self, frame, scope="Locals"):
        """A frame's variables by name."""
        scopes = {s["name"]: s["variablesReference"] for s in self.get("scopes", frameId=frame)["scopes"]}
        return by_name(self.get("variables", variablesReference=scopes[scope]))

    def outcome(self, cell):
        """The reply to a cell, and its outputs, when it has ended."""
        outputs = []
        while True:
            message = self.message(lambda m: m["parent_header"].get("msg_id") == cell)
            if message["msg_type"] == "status":
                if message["content"]["execution_state"] == "idle":
                    break
            elif message["msg_type"] != "debug_event":
                outputs.append((message["msg_type"], message["content"]))
        while True:
            reply = self.client.get_shell_msg(timeout=TIMEOUT)
            if reply["parent_header"].get("msg_id") == cell:
                return reply["content"], outputs

    def nothing_stopped(self):
        """Whether no thread has stopped so far."""
        try:
            while True:
                self.seen.append(self.client.get_iopub_msg(timeout=0))
        except queue.Empty:
            pass
        return not any(m["msg_type"] == "debug_event" and m["content"]["event"] == "stopped" for m in self.seen)


def by_name(body):
    return {variable["name"]: variable for variable in body["variables"]}
