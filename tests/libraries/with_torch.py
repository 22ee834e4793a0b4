"""torch: tensors of arrays and over their memory, gradients, a small network, data loaders."""

import pickle

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
a = np.linspace(0, 1, 6)
t = torch.from_numpy(a)
t[0] = 9
print(a, t.dtype, torch.tensor(a).sum(), torch.as_tensor(a[1:3]).numpy(), torch.tensor(np.array([a, a])).shape)
m = np.arange(6, dtype=np.float32).reshape(2, 3)
w = torch.from_numpy(m).requires_grad_()
(w**2).sum().backward()
print(w.grad.numpy(), np.sin(t.numpy()).round(5), torch.sin(t).numpy().round(5), (torch.from_numpy(m) @ torch.ones(3)).tolist(), np.asarray(torch.arange(3)) + 1)
x = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
y = (x @ np.array([1, -2, 0.5], np.float32))[:, None]
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(60):
    for inputs, wanted in DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=16):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), wanted).backward()
        optimizer.step()
print(model.weight.detach().numpy().round(3), isinstance(model.bias.detach().numpy(), np.ndarray), np.mean(model(torch.from_numpy(x)).detach().numpy() - y).round(4))
print(torch.from_numpy(np.array([True, False])).any(), torch.tensor(np.float64(2.5)), torch.tensor(np.arange(3)).dtype, torch.from_numpy(np.ones((2, 2), np.uint8)).sum(), torch.stack([torch.from_numpy(v) for v in m]).shape)
print(t[torch.from_numpy(np.array([1, 2]))].shape, torch.from_numpy(np.ascontiguousarray(m[:, ::-1])).tolist(), torch.zeros(3).numpy() + np.ones(3), torch.from_numpy(m.T.copy()).shape, np.allclose(torch.ones(2).numpy(), np.ones(2)))
print([batch.sum().item() for batch in DataLoader(np.arange(6.0), batch_size=2)], torch.utils.dlpack.from_dlpack(np.arange(3.0)), torch.asarray(np.arange(3)), torch.cat([torch.as_tensor(a), torch.as_tensor(a)]).mean().item())
torch.set_default_device("meta")
print([make([1.0]).device.type for make in (torch.tensor, torch.as_tensor, torch.asarray)])
torch.set_default_device("cpu")


@torch.jit.script
def compiled(x):
    return x + torch.tensor([1.0, 2.0])


print(compiled(torch.ones(2)), [pickle.loads(pickle.dumps(f)) is f for f in (torch.tensor, torch.from_numpy)])
