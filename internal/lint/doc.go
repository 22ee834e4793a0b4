// Package lint holds the rules that the tree must keep, as a test.
//
// Each rule is one row of the table in rules.go: a name, what it wants, and a
// function from a Tree to the problems found. The test runs every rule over the
// repository; a second test plants violations in a made-up tree and compares the
// messages, so that a rule which no longer finds anything fails itself.
//
// The import table (imports.go) is the architecture in one screen: which package
// may import which. Adding a package means adding its row, and arguing for it.
//
// The package reads files and nothing else. It is imported by its own test only.
package lint
