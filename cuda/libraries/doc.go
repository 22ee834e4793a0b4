// Package libraries looks for NVIDIA's libraries for GPUs (cuBLAS, cuSOLVER, cuFFT), which the driver does not bring:
// which versions there are, or why one cannot be used, as "weft info" shows them. It calls cuBLAS, for products of
// matrices in the types' own precision (float32 is not rounded to TF32, unless NVIDIA_TF32_OVERRIDE tells cuBLAS to),
// cuFFT, for transforms of rows in double precision, and cuSOLVER, for decompositions of single matrices in that.
//
// It must not know a device or a driver, a store or a launch: the libraries tell their versions without one, a caller
// makes a device's context current, and addresses are numbers.
//
//	for _, l := range libraries.Find(libraries.Folders(packages), 12) {
//		fmt.Println(l) // "cuBLAS 12.9.1 (/usr/local/cuda/lib64/libcublas.so.12)"
//	}
package libraries
