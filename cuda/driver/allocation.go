package driver

// Allocation is a piece of device memory that was allocated as a whole, by whatever library of the process.
type Allocation struct {
	Device  int32 // whose memory it is
	Start   Address
	Bytes   int64
	context uint64
}
