// Package units prints quantities for people: bytes, times, rates, counts and shapes. Graphs, plans, reports, the
// profile's tables and errors all print them by these functions, so that a number that is in two places looks the same
// in both.
//
// Prefixes are powers of ten (1 MB is 1,000,000 bytes), as rates of memory and devices are given; numbers have three
// digits.
//
// It must not know what is measured.
package units

import (
	"fmt"
	"strconv"
	"strings"
)

// Duration prints nanoseconds: 1.23 ms.
func Duration(ns int64) string {
	switch v := float64(ns); {
	case ns < 1000:
		return fmt.Sprintf("%d ns", ns)
	case v < 999.5e3:
		return three(v/1e3) + " us"
	case v < 999.5e6:
		return three(v/1e6) + " ms"
	default:
		return three(v/1e9) + " s"
	}
}

// Size prints bytes: 1.23 MB.
func Size(bytes int64) string {
	switch v := float64(bytes); {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case v < 999.5e3:
		return three(v/1e3) + " kB"
	case v < 999.5e6:
		return three(v/1e6) + " MB"
	case v < 999.5e9:
		return three(v/1e9) + " GB"
	default:
		return three(v/1e12) + " TB"
	}
}

// Rate prints bytes per nanoseconds, in GB/s, so that rates in a column can be compared: 1.23 GB/s. It is empty where
// nothing was moved, or in no time.
func Rate(bytes, ns int64) string {
	if bytes == 0 || ns == 0 {
		return ""
	}
	return three(float64(bytes)/float64(ns)) + " GB/s"
}

// PerSecond prints bytes per second: 1.23 MB/s.
func PerSecond(bytes float64) string { return Size(int64(bytes)) + "/s" }

func three(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// Count prints how many of something there are: 1 task, 2 copies, 3 passes, 4 arrays, 12,345 accesses.
func Count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		what += "es"
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay"):
		what = strings.TrimSuffix(what, "y") + "ies"
	default:
		what += "s"
	}
	return Thousands(n) + " " + what
}

// Thousands sets the digits of a number of five and more of them apart: 9999, 87,616.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	digits := strings.TrimPrefix(text, "-")
	sign := text[:len(text)-len(digits)]
	if len(digits) < 5 {
		return text
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// Shape prints the lengths of an array's axes as Python prints a tuple: () (3,) (3,4), without spaces.
func Shape(shape []int) string {
	b := []byte{'('}
	for i, n := range shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if len(shape) == 1 {
		b = append(b, ',')
	}
	return string(append(b, ')'))
}
