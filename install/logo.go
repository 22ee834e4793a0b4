package install

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
)

// band is one rectangle of the logo, on a grid of 64 by 64.
type band struct {
	x, y, w, h int
	fill       color.RGBA
}

var (
	warp   = color.RGBA{0x2f, 0x5d, 0x8a, 0xff} // the threads that are strung, blue
	weft   = color.RGBA{0xe8, 0x8b, 0x1a, 0xff} // the thread that is woven in, amber
	shadow = color.RGBA{0x1c, 0x38, 0x53, 0xff} // edge of the thread that lies under
)

// bands draws a plain weave: three weft threads that go over and under three
// warp threads in turn. Both the SVG and the pictures come from this one list.
func bands() []band {
	const (
		first, step, thick = 6, 20, 12 // where threads lie
		edge               = 2
	)
	var list []band
	for i := range 3 {
		list = append(list, band{first + i*step, 0, thick, 64, warp})
	}
	for row := range 3 {
		y := first + row*step
		list = append(list, band{0, y, 64, thick, weft})
		for col := range 3 {
			x := first + col*step
			if (row+col)%2 == 0 { // the warp is on top here
				list = append(list,
					band{x - edge, y, edge, thick, shadow}, band{x + thick, y, edge, thick, shadow},
					band{x, y, thick, thick, warp})
			} else {
				list = append(list,
					band{x, y - edge, thick, edge, shadow}, band{x, y + thick, thick, edge, shadow})
			}
		}
	}
	return list
}

// logoPNG draws the logo at 64 or 32 pixels: every coordinate above is even.
func logoPNG(size int) ([]byte, error) {
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	for _, b := range bands() {
		at := image.Rect(b.x*size/64, b.y*size/64, (b.x+b.w)*size/64, (b.y+b.h)*size/64)
		draw.Draw(picture, at, image.NewUniform(b.fill), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	err := png.Encode(&out, picture)
	return out.Bytes(), err
}

func logoSVG() []byte {
	var out strings.Builder
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">` + "\n")
	for _, b := range bands() {
		fmt.Fprintf(&out, `<rect x="%d" y="%d" width="%d" height="%d" fill="#%02x%02x%02x"/>`+"\n",
			b.x, b.y, b.w, b.h, b.fill.R, b.fill.G, b.fill.B)
	}
	out.WriteString("</svg>\n")
	return []byte(out.String())
}
