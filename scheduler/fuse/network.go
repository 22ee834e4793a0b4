package fuse

import "math"

// network is a flow network: a minimum cut divides its nodes into those that stay and those
// that sink, so that the capacities of the edges from the first to the second have the
// smallest sum.
//
// A maximum flow is found by augmenting along shortest paths (Edmonds and Karp): in O(nodes * edges^2) whatever the
// capacities are, which are bytes and may be large. By the theorem of Ford and Fulkerson
// the edges that the flow fills separate both ends, at the least cost.
//
//	node 0   stays         node 1   sinks         node 2...   op i is node i+2, then values and stores
//
// An edge e and its reverse are neighbours in edges, at e and e^1: pushing flow through one gives it back to the other.
// The edges of a node are a linked list through next, because nodes get theirs in turns.
type network struct {
	ops   int     // nodes that are ops
	from  []int32 // by node: its first edge, -1 for none
	edges []arc   // in pairs, an edge and its reverse
	via   []int32 // by node: the edge on which a search came; unseen, or the start
	queue []int32
}

// arc is an edge with the capacity that is left.
type arc struct {
	to, next int32 // next edge of the same node
	left     int64
}

// The two nodes that the cut divides, and the capacity of edges that cannot be cut.
const (
	stays  = 0
	sinks  = 1
	always = math.MaxInt64 / 4
)

// reset makes a network of some ops without edges.
func (n *network) reset(ops int) {
	n.ops, n.from, n.edges = ops, n.from[:0], n.edges[:0]
	for range ops + 2 {
		n.add()
	}
}

// op returns the node of an op.
func (n *network) op(i int) int { return i + 2 }

// add returns a new node.
func (n *network) add() int {
	n.from = append(n.from, -1)
	return len(n.from) - 1
}

// edge makes it cost so much to have one node stay and the other sink.
func (n *network) edge(from, to int, cost int64) {
	if cost <= 0 {
		return
	}
	n.edges = append(n.edges, arc{int32(to), n.from[from], cost}, arc{int32(from), n.from[to], 0})
	n.from[from], n.from[to] = int32(len(n.edges)-2), int32(len(n.edges)-1)
}

// run fills the network: along shortest paths, until there is none.
func (n *network) run() {
	for n.search(stays, 0) {
		least := int64(always)
		for at := int32(sinks); at != stays; {
			e := n.via[at]
			least = min(least, n.edges[e].left)
			at = n.edges[e^1].to
		}
		for at := int32(sinks); at != stays; {
			e := n.via[at]
			n.edges[e].left -= least
			n.edges[e^1].left += least
			at = n.edges[e^1].to
		}
	}
}

const (
	unseen = -2
	start  = -1
)

// search goes through the network on edges with something left, forwards, or backwards for 1. It
// reports whether a search from one of the two nodes reached the other.
func (n *network) search(from int, back int32) bool {
	n.via = n.via[:0]
	for range n.from {
		n.via = append(n.via, unseen)
	}
	n.via[from] = start
	n.queue = append(n.queue[:0], int32(from))
	for i := 0; i < len(n.queue); i++ {
		for e := n.from[n.queue[i]]; e >= 0; e = n.edges[e].next {
			if to := n.edges[e].to; n.via[to] == unseen && n.edges[e^back].left > 0 {
				n.via[to] = e
				n.queue = append(n.queue, to)
			}
		}
	}
	return n.via[stays+sinks-from] != unseen
}

// side returns the ops that sink, as few as there can be in a minimum cut.
//
// There may be several minimum cuts. What can still reach sinks on edges with something left is in every one of
// them: of equal prices, ops stay, so that sinking is not done for nothing.
func (n *network) side() []bool {
	n.search(sinks, 1)
	side := make([]bool, n.ops)
	for i := range side {
		side[i] = n.via[n.op(i)] != unseen
	}
	return side
}
