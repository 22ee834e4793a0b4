"""networkx: graphs of matrices and back, paths, centralities, spectra, layouts."""

import networkx as nx
import numpy as np

rng = np.random.default_rng(3)
a = (rng.random((30, 30)) < 0.12).astype(int)
a = np.triu(a, 1)
graph = nx.from_numpy_array(a + a.T)
print(graph.number_of_nodes(), graph.number_of_edges(), sorted(dict(graph.degree()).values())[-5:], nx.number_connected_components(graph))
print(np.array_equal(nx.to_numpy_array(graph), a + a.T), nx.density(graph), round(nx.average_clustering(graph), 6))
largest = graph.subgraph(max(nx.connected_components(graph), key=len))
print(sorted(nx.pagerank(largest).items(), key=lambda item: -item[1])[0][0], nx.diameter(largest), np.round(nx.laplacian_spectrum(largest)[:3], 5))
print(np.round(sorted(nx.eigenvector_centrality_numpy(largest).values())[-3:], 5), nx.shortest_path_length(largest, *sorted(largest)[:2]))
weighted = nx.Graph()
weighted.add_weighted_edges_from((i, (i + 1) % 10, float(w)) for i, w in enumerate(np.linspace(1, 2, 10)))
print(nx.dijkstra_path_length(weighted, 0, 5), round(nx.minimum_spanning_tree(weighted).size("weight"), 6))
places = nx.spring_layout(graph, seed=np.random.RandomState(4), iterations=5)
print(np.round(places[0], 5), np.asarray(nx.floyd_warshall_numpy(weighted))[0].round(3), nx.adjacency_matrix(weighted).sum().round(5))
print(nx.circular_layout(nx.path_graph(4))[1].round(5), nx.attr_matrix(weighted, edge_attr="weight")[0].shape, nx.incidence_matrix(weighted).shape)
