package linalg

import "unsafe"

// square is the side of the blocks by which triangles are copied, so that a transposition stays in the cache.
const square = 32

// part is so many rows and columns of a matrix.
func (m matrix) part(i, j, rows, columns int) matrix {
	m.p, m.rows, m.columns = m.at(i, j), rows, columns
	return m
}

// copyLower copies the lower triangle of s, and what lies above it near the diagonal.
func (m matrix) copyLower(s matrix) {
	for j := 0; j < m.columns; j += square {
		rows, columns := m.rows-j, min(square, m.columns-j)
		m.part(j, j, rows, columns).copy(s.part(j, j, rows, columns))
	}
}

// turnLower has the lower triangle of a square matrix in LAPACK's order lie row by row instead, in the same memory, and
// zeroes what is above it then: what was below it lies there.
func (m matrix) turnLower() {
	for j := 0; j < m.columns; j += square {
		columns := min(square, m.columns-j)
		for i := j + square; i < m.rows; i += square {
			rows := min(square, m.rows-i)
			from := m.part(i, j, rows, columns)
			m.part(j, i, columns, rows).turned().copy(from)
			from.clear()
		}
		diagonal := m.part(j, j, columns, columns)
		for k := range columns - 1 {
			diagonal.part(k, k+1, 1, columns-k-1).turned().copy(diagonal.part(k+1, k, columns-k-1, 1))
		}
		diagonal.clearTriangle(false)
	}
}

// clear zeroes the elements of a matrix in LAPACK's order.
func (m matrix) clear() {
	for j := range m.columns {
		clear(unsafe.Slice((*byte)(m.at(0, j)), m.rows*m.size))
	}
}
