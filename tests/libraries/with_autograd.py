"""autograd: gradients of functions that are written with its own NumPy."""

import autograd.numpy as anp
import numpy as np
from autograd import elementwise_grad, grad, hessian, jacobian

x = np.linspace(0.1, 1, 5)
print(grad(lambda v: anp.sum(anp.sin(v) * v))(x).round(6), elementwise_grad(anp.tanh)(x).round(6), jacobian(lambda v: v**2)(x[:2]).round(6))
print(hessian(lambda v: anp.sum(v**3))(x[:2]).round(6), grad(lambda w: anp.mean((anp.dot(np.eye(3), w) - np.ones(3)) ** 2))(np.zeros(3)).round(6))
w = np.zeros(2)
features, wanted = np.c_[np.ones(20), np.linspace(0, 1, 20)], 2 + 3 * np.linspace(0, 1, 20)
step = grad(lambda w: anp.mean((anp.dot(features, w) - wanted) ** 2))
for _ in range(300):
    w = w - 0.5 * step(w)
print(w.round(3), type(w).__name__, grad(lambda v: anp.linalg.norm(v))(np.array([3.0, 4.0])), anp.exp(x).round(4), grad(lambda v: anp.where(v > 0.5, v, 2 * v).sum())(x))
