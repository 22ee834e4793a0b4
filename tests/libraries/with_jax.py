"""jax: functions of arrays, jit, grad, vmap, scan, random numbers."""

import jax
import jax.numpy as jnp
import numpy as np

a = np.linspace(0, 1, 5).astype(np.float32)
m = np.arange(9, dtype=np.float32).reshape(3, 3)
print(jnp.sin(a).round(5), jnp.asarray(a) + a, a + jnp.asarray(a), jnp.array(m) @ m, m @ jnp.ones(3), jnp.dot(m, a[:3]))


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


w, y = np.zeros(3, np.float32), np.ones(3, np.float32)
print(jax.grad(loss)(w, m, y).round(4), jax.jit(loss)(w, m, y), jax.value_and_grad(jax.jit(loss))(w, m, y)[1].round(4))
for _ in range(20):
    w = w - 0.005 * jax.grad(loss)(w, m, y)
print(np.asarray(w).round(4), type(w).__name__ != "ndarray", np.sum(np.asarray(w)).round(4), jax.vmap(jnp.sum)(m))
print(jax.lax.scan(lambda c, x: (c + x, c), 0.0, a)[0], jax.jacfwd(lambda v: v**2)(a[:2]), jax.hessian(lambda v: jnp.sum(v**3))(a[1:3]).round(4))
print(jax.random.normal(jax.random.key(0), (3,)).shape, jnp.where(a > 0.5, a, 0), jnp.concatenate([a, a]).shape, np.asarray(jnp.arange(4)).sum(), jax.tree.map(lambda v: v + 1, {"a": a[:2]}))
print(jnp.linalg.norm(m).round(4), jnp.stack([a, a]).mean(), jnp.asarray(m)[np.array([0, 2])], jnp.zeros(3).at[np.array([1])].set(5), jax.device_put(a).shape, jnp.array([a, a]).shape, jnp.interp(np.float32(0.3), a, a).round(4))
print(np.add(a, jnp.asarray(a)).shape, np.mean(jnp.asarray(m)), jax.jit(lambda x: x[::-1] * 2)(a), jax.eval_shape(jnp.sin, a).shape, isinstance(np.asarray(jnp.ones(2)), np.ndarray))
