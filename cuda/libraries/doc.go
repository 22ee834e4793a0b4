// Package libraries looks for NVIDIA's libraries for GPUs (cuBLAS, cuSOLVER, cuFFT), which the driver does not bring:
// which versions there are, or why one cannot be used. Nothing of weft calls them yet; "weft info" shows them.
//
// It must not know a device or a driver: the libraries tell their versions without one.
//
//	for _, l := range libraries.Find(libraries.Folders(packages)) {
//		fmt.Println(l) // "cuBLAS 12.9.1 (/usr/local/cuda/lib64/libcublas.so.12)"
//	}
package libraries
