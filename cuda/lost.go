package cuda

import (
	"errors"
	"fmt"

	"weft/cuda/driver"
)

// lostError is the error that ended a GPU's context. Everything that is asked of the device afterwards fails with it.
type lostError struct {
	device string
	cause  error
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%s is lost: %v. Arrays whose values are elsewhere stay valid", e.device, e.cause)
}

func (e *lostError) Unwrap() error { return e.cause }

// note looks whether an error ended the context, and returns the error that is to be told.
func (d *Device) note(err error) error {
	var cause *driver.Error
	if !errors.As(err, &cause) || !cause.Lost() {
		return err
	}
	return d.lose(err)
}

// lose says that the device's context has ended. The first error is the one that is told.
func (d *Device) lose(err error) error {
	d.lost.CompareAndSwap(nil, &lostError{d.info.Name, err})
	return d.lost.Load()
}

// Lost returns the error that ended the GPU's context, or nil. Nothing but Free and Close is of use after it.
func (d *Device) Lost() error { return d.usable() }

// usable returns the error of a device that is lost.
func (d *Device) usable() error {
	if e := d.lost.Load(); e != nil {
		return e
	}
	return nil
}
