package linalg

import (
	"unsafe"

	"weft/cpu/blas"
)

// reflectors factorises: the reflectors are below the diagonal of the result, r on and above.
func (j *job) reflectors(m matrix, room int) (h matrix, tau unsafe.Pointer, err error) {
	// Room for more columns than m has lets qr grow q in place.
	if h, err = j.columns(m.rows, max(m.columns, room), j.size); err != nil {
		return
	}
	h.copy(m)
	if tau, err = j.scratch(min(m.rows, m.columns), j.size); err != nil {
		return
	}
	call := func(work, length blas.Arg) (int, error) {
		return j.lapack("geqrf", blas.Int(m.rows), blas.Int(m.columns), blas.Ptr(h.p), blas.Int(m.rows), blas.Ptr(tau), work, length, blas.Info())
	}
	work, length, err := j.work(call)
	if err == nil {
		_, err = call(work, length)
	}
	return
}

// upper copies the triangle on and above the diagonal to r.
func upper(r, h matrix) {
	r.copy(h)
	r.clearTriangle(false)
}

func qr(j *job, m []matrix) error {
	rows, wanted := m[0].rows, m[1].columns
	h, tau, err := j.reflectors(m[0], wanted)
	if err != nil {
		return err
	}
	upper(m[2], h)
	name := "orgqr"
	if j.complex {
		name = "ungqr"
	}
	call := func(work, length blas.Arg) (int, error) {
		return j.lapack(name, blas.Int(rows), blas.Int(wanted), blas.Int(min(rows, m[0].columns)), blas.Ptr(h.p), blas.Int(rows), blas.Ptr(tau),
			work, length, blas.Info())
	}
	work, length, err := j.work(call)
	if err != nil {
		return err
	}
	if _, err := call(work, length); err != nil {
		return err
	}
	m[1].copy(h)
	return nil
}

func qrTriangle(j *job, m []matrix) error {
	h, _, err := j.reflectors(m[0], 0)
	if err == nil {
		upper(m[1], h)
	}
	return err
}

// qrRaw gives what LAPACK gives, transposed as NumPy does.
func qrRaw(j *job, m []matrix) error {
	h, tau, err := j.reflectors(m[0], 0)
	if err != nil {
		return err
	}
	h.rows, h.columns, h.down, h.right = h.columns, h.rows, h.right, h.down
	m[1].copy(h)
	m[2].copy(matrix{p: tau, rows: m[2].rows, columns: 1, down: j.size, size: j.size})
	return nil
}
