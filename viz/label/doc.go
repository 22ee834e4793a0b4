// Package label says what an operation or a bar is called where it is drawn, and in which color: graphs, timelines and
// still pictures that share a Palette agree, and a palette travels with a profile, so that another process agrees as
// well. What comes from a program is made harmless for XML, HTML and Graphviz here (Printable, Markup).
//
// It must not know what is drawn, nor where.
package label
