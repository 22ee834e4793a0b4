package cpu

// Held returns the bytes that the device's pool got from the system, and those of its blocks
// that are handed out.
func (e *engine) Held() (mapped, used int64) { return e.pool.held() }

func (m *pool) held() (mapped, used int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mapped, m.used
}
