package units_test

import (
	"testing"

	"weft/internal/units"
)

func TestTexts(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{units.Duration(0), "0 ns"},
		{units.Duration(999), "999 ns"},
		{units.Duration(1234), "1.23 us"},
		{units.Duration(999_499), "999 us"},
		{units.Duration(999_500), "1.00 ms"},
		{units.Duration(61_200_000_000), "61.2 s"},
		{units.Size(999), "999 B"},
		{units.Size(3_800_000), "3.80 MB"},
		{units.Size(12_345_678), "12.3 MB"},
		{units.Size(999_500_000), "1.00 GB"},
		{units.Size(1_500_000_000_000), "1.50 TB"},
		{units.Rate(0, 5), ""},
		{units.Rate(5, 0), ""},
		{units.Rate(44_300, 1000), "44.3 GB/s"},
		{units.Rate(1, 100), "0.01 GB/s"},
		{units.PerSecond(1.5e6), "1.50 MB/s"},
		{units.Count(0, "task"), "0 tasks"},
		{units.Count(1, "copy"), "1 copy"},
		{units.Count(2, "copy"), "2 copies"},
		{units.Count(3, "pass"), "3 passes"},
		{units.Count(4, "array"), "4 arrays"},
		{units.Count(12345, "access"), "12,345 accesses"},
		{units.Thousands(9999), "9999"},
		{units.Thousands(10000), "10,000"},
		{units.Thousands(-87616), "-87,616"},
		{units.Thousands(1234567), "1,234,567"},
		{units.Shape(nil), "()"},
		{units.Shape([]int{3}), "(3,)"},
		{units.Shape([]int{3, 0, 12}), "(3,0,12)"},
	} {
		if row.got != row.want {
			t.Errorf("got %q, want %q", row.got, row.want)
		}
	}
}
