"""Comms (widgets) over the kernel's messages, through the comm package's extension point."""

import sys
import types

import comm
from comm.base_comm import BaseComm, CommManager

from .. import _core
from . import streams
from .encoding import encode


class KernelComm(BaseComm):
    """A comm whose messages go out through the Go kernel."""

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        content = {"data": data or {}, "comm_id": self.comm_id, **keys}
        _core.kernel_publish(streams.handle(), msg_type, encode(content), encode(metadata or {}), buffers or [])


def install():
    """Make the comm package use the kernel; returns the manager of all comms."""
    manager = CommManager()
    comm.create_comm = KernelComm
    comm.get_comm_manager = lambda: manager
    # Libraries older than the comm package take their comms from ipykernel, whose own would find no kernel here.
    older = types.ModuleType("ipykernel.comm", "weft's comms under the name of ipykernel's.")
    older.Comm, older.CommManager = KernelComm, CommManager
    sys.modules.setdefault("ipykernel.comm", older)
    return manager


def receive(manager, request):
    """Hand a comm_open, comm_msg or comm_close to its comm."""
    message = {
        "header": request.parent,
        "content": request.content,
        "metadata": request.metadata,
        "buffers": request.buffers,
    }
    getattr(manager, request.kind)(None, None, message)


def info(manager, target_name=None):
    """The open comms by identifier, all or those of one target."""
    return {
        comm_id: {"target_name": one.target_name}
        for comm_id, one in manager.comms.items()
        if not target_name or one.target_name == target_name
    }
