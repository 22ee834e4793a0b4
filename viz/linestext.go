package viz

import (
	"fmt"
	"html"
	"strings"

	"weft/profiler"
)

// head is the line above the table.
func (r *LineReport) head() string {
	text := fmt.Sprintf("%s: %s; tasks %s on %s", r.Cell, profiler.Duration(r.Wall), profiler.Duration(r.Busy), some(r.Processors, "lane"))
	if r.Bytes > 0 && r.Wall > 0 {
		rate := float64(r.Bytes) / float64(r.Wall) * 1e9
		text += fmt.Sprintf("; %s at %s", profiler.Size(r.Bytes), rateText(rate))
		if r.Limit > 0 {
			text += fmt.Sprintf(", %.0f%% of the %s that this machine copies", 100*rate/r.Limit, rateText(r.Limit))
		}
	}
	return text
}

// row is a line's numbers as text: time, share, bytes, rate, fraction of the limit. Empty where there is nothing.
func (r *LineReport) row(l *LineCost) [5]string {
	var row [5]string
	if l.Busy > 0 {
		row[0] = profiler.Duration(l.Busy)
		row[1] = fmt.Sprintf("%.0f%%", 100*float64(l.Busy)/float64(max(r.Busy, 1)))
	}
	if l.Bytes > 0 {
		row[2] = profiler.Size(l.Bytes)
		if rate := l.Rate(); rate > 0 {
			row[3] = rateText(rate)
			if r.Limit > 0 {
				row[4] = fmt.Sprintf("%.0f%%", 100*rate/r.Limit)
			}
		}
	}
	return row
}

var lineColumns = [5]string{"time", "share", "bytes", "rate", "of limit"}

// adviceText is what stands below the table.
func (r *LineReport) adviceText() []string {
	if len(r.Advice) == 0 {
		return []string{"nothing stands out"}
	}
	return r.Advice
}

// all are the lines of the cell and those elsewhere, which bring their place as text.
func (r *LineReport) all() []LineCost {
	lines := append([]LineCost(nil), r.Lines...)
	for _, l := range r.Elsewhere {
		l.Text = strings.TrimSpace("(" + l.Place + ") " + strings.TrimSpace(l.Text))
		lines = append(lines, l)
	}
	return lines
}

// number is what stands before a line's text.
func (r *LineReport) number(i int) string {
	if i < len(r.Lines) {
		return fmt.Sprint(i + 1)
	}
	return ""
}

// String is the report as text:
//
//	In[3]: 1.24 s; tasks 2.31 s on 2 lanes; 3.10 GB at 2.50 GB/s, 21% of the 11.9 GB/s that this machine copies
//	   time  share    bytes       rate  of limit |
//	                                             | 1 x = np.ones(1_000_000)
//	 2.31 s   100%  3.10 GB  2.50 GB/s       21% | 2 y = np.sqrt(x * x + 1)
//	                                             |     63 operations in 1 pass, 20 tasks
//	line 2: ...
func (r *LineReport) String() string {
	lines := r.all()
	rows := make([][5]string, len(lines))
	wide := [5]int{}
	for k, name := range lineColumns {
		wide[k] = len(name)
	}
	for i := range lines {
		rows[i] = r.row(&lines[i])
		for k, text := range rows[i] {
			wide[k] = max(wide[k], len(text))
		}
	}
	var b strings.Builder
	b.WriteString(r.head() + "\n")
	put := func(row [5]string, rest string) {
		for k, text := range row {
			fmt.Fprintf(&b, "%*s  ", wide[k], text)
		}
		b.WriteString(strings.TrimRight("| "+rest, " ") + "\n")
	}
	put(lineColumns, "")
	digits := len(fmt.Sprint(len(r.Lines)))
	for i := range lines {
		put(rows[i], fmt.Sprintf("%*s %s", digits, r.number(i), lines[i].Text))
		if notes := lines[i].Notes(); len(notes) > 0 {
			put([5]string{}, fmt.Sprintf("%*s     %s", digits, "", strings.Join(notes, ", ")))
		}
	}
	for _, text := range r.adviceText() {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// heat is a background for a share of the time, light on light pages and dark on dark ones.
func (r *LineReport) heat(l *LineCost) float64 {
	return 0.05 + 0.4*float64(l.Busy)/float64(max(r.Busy, 1))
}

// HTML is the report as a table that needs no style of the page, no script and no network.
func (r *LineReport) HTML() string {
	var b strings.Builder
	b.WriteString(`<div style="font:13px system-ui,sans-serif;overflow-x:auto">`)
	fmt.Fprintf(&b, `<div style="margin:2px 0 6px">%s</div>`, html.EscapeString(r.head()))
	b.WriteString(`<table style="border-collapse:collapse;font:12px ui-monospace,monospace;white-space:pre"><thead><tr>`)
	for _, name := range lineColumns {
		fmt.Fprintf(&b, `<th style="text-align:right;padding:1px 8px;font-weight:normal;opacity:.7">%s</th>`, name)
	}
	b.WriteString(`<th></th><th></th></tr></thead><tbody>`)
	lines := r.all()
	for i := range lines {
		l := &lines[i]
		row, notes := r.row(l), l.Notes()
		b.WriteString(`<tr`)
		if l.Busy > 0 {
			fmt.Fprintf(&b, ` style="background:rgba(240,140,46,%.2f)"`, r.heat(l))
		}
		fmt.Fprintf(&b, ` title="%s">`, html.EscapeString(strings.Join(notes, "\n")))
		for _, text := range row {
			fmt.Fprintf(&b, `<td style="text-align:right;padding:1px 8px">%s</td>`, html.EscapeString(text))
		}
		fmt.Fprintf(&b, `<td style="text-align:right;padding:1px 8px;opacity:.6">%s</td>`, r.number(i))
		fmt.Fprintf(&b, `<td style="text-align:left;padding:1px 8px;white-space:pre">%s`, html.EscapeString(l.Text))
		if len(notes) > 0 {
			fmt.Fprintf(&b, `<div style="opacity:.7;font-size:11px;padding-left:2em">%s</div>`, html.EscapeString(strings.Join(notes, ", ")))
		}
		b.WriteString(`</td></tr>`)
	}
	b.WriteString(`</tbody></table><ul style="margin:6px 0 2px;padding-left:1.4em">`)
	for _, text := range r.adviceText() {
		fmt.Fprintf(&b, `<li>%s</li>`, html.EscapeString(text))
	}
	b.WriteString(`</ul></div>`)
	return b.String()
}

// The measures of the picture, in pixels. Letters of a monospace font of 12 pixels are 7.22 wide.
const (
	letter     = 7.3
	lineHeight = 17
	border     = 10
)

// SVG is the report as a picture, for readers that show nothing else.
func (r *LineReport) SVG() string {
	type shown struct {
		text string
		heat float64
		dim  bool
	}
	var all []shown
	rows := strings.Split(strings.TrimRight(r.String(), "\n"), "\n")
	lines := r.all()
	heats := make([]float64, 0, len(rows))
	for i := range lines {
		heat := 0.0
		if lines[i].Busy > 0 {
			heat = r.heat(&lines[i])
		}
		heats = append(heats, heat)
		if len(lines[i].Notes()) > 0 {
			heats = append(heats, -1)
		}
	}
	longest := 0
	for i, text := range rows {
		s := shown{text: text, dim: i == 1}
		if k := i - 2; k >= 0 && k < len(heats) {
			s.heat, s.dim = heats[k], heats[k] < 0
		}
		if len(text) > maxSVGLine {
			s.text = strings.ToValidUTF8(text[:maxSVGLine], "") + "\u2026"
		}
		longest = max(longest, len([]rune(s.text)))
		all = append(all, s)
	}
	wide, high := float64(longest)*letter+2*border, float64(len(all)*lineHeight+2*border)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,monospace" font-size="12">`, wide, high, wide, high)
	fmt.Fprintf(&b, `<title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>`, html.EscapeString(r.Cell))
	for i, s := range all {
		y := border + i*lineHeight
		if s.heat > 0 {
			fmt.Fprintf(&b, `<rect x="0" y="%d" width="%.0f" height="%d" fill="#f08c2e" fill-opacity="%.2f"/>`, y, wide, lineHeight, s.heat)
		}
		fill := "#1f2630"
		if s.dim {
			fill = "#66707f"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" xml:space="preserve">%s</text>`, border, y+13, fill, html.EscapeString(s.text))
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// maxSVGLine is how much of a line the picture shows.
const maxSVGLine = 200
