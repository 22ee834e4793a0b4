package cuda

import (
	"errors"

	"weft/cuda/driver"
	"weft/tile"
)

// note looks whether an error ended the GPU's context, and returns the error that is to be told. Of a lost device,
// whatever the driver says is that.
func (d *Device) note(err error) error {
	var cause *driver.Error
	if !errors.As(err, &cause) || !cause.Lost() && d.usable() == nil {
		return err
	}
	return d.lose(err)
}

// lose says that the device's context has ended. The first error is the one that is told.
func (d *Device) lose(err error) error {
	d.lost.CompareAndSwap(nil, &tile.LostError{Device: d.info.Name, Err: err})
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
