package cpu

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CacheBytes returns how many bytes the largest cache of the first processor holds, 0 where the system does not say.
func CacheBytes() int64 { return cacheBytes("/sys/devices/system/cpu/cpu0/cache") }

// cacheBytes reads a folder that has a folder with a file size, such as 32768K, for each cache.
func cacheBytes(folder string) (largest int64) {
	files, err := filepath.Glob(filepath.Join(folder, "index*", "size"))
	if err != nil {
		return 0
	}
	units := map[byte]int64{'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		digits := strings.TrimSpace(string(text))
		unit := int64(1)
		if n := len(digits); n > 0 && units[digits[n-1]] != 0 {
			unit, digits = units[digits[n-1]], digits[:n-1]
		}
		if size, err := strconv.ParseInt(digits, 10, 64); err == nil {
			largest = max(largest, size*unit)
		}
	}
	return largest
}
