// The launches that C remembers: see known.c.
#ifndef WEFT_KNOWN_H
#define WEFT_KNOWN_H

// weft_known_launch returns what is known of a pattern, or NULL where the general functions have to do it.
const weft_launch *weft_known_launch(const weft_pattern *p);

#endif
