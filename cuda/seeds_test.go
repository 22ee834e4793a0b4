//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

// TestSeeds runs the whole kit, and not what depends on queues alone (TestOrders), in as many orders as WEFT_TEST_SEEDS says, on one device and
// on two by turns. An order takes half a minute of a processor.
func TestSeeds(t *testing.T) {
	needFake(t)
	n, err := strconv.Atoi(os.Getenv("WEFT_TEST_SEEDS"))
	if err != nil {
		t.Skip("WEFT_TEST_SEEDS says no number")
	}
	for seed := range uint64(n) {
		devices, opened := 1+int(seed%2), 0
		fake.Seed(seed)
		t.Run(fmt.Sprintf("seed %d, devices %d", seed, devices), func(t *testing.T) {
			tiletest.Run(t, func() tile.Device {
				opened++
				return open(t, opened%devices)
			})
		})
	}
}
