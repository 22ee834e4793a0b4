"""shapely: geometries of coordinate arrays, predicates over arrays, unions, distances."""

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box

rng = np.random.default_rng(14)
square = Polygon(np.array([[0, 0], [2, 0], [2, 2], [0, 2]]))
points = rng.random((50, 2)) * 3
print(square.area, square.centroid.coords[0], np.asarray(square.exterior.coords).shape, LineString(np.c_[np.arange(4), np.arange(4) ** 2]).length)
geometries = shapely.points(points)
inside = shapely.contains(square, geometries)
print(inside.sum(), shapely.distance(geometries, Point(0, 0))[:3].round(5), shapely.contains_xy(square, points[:, 0], points[:, 1]).sum(), isinstance(inside, np.ndarray))
print(shapely.union_all(shapely.box(np.arange(3), 0, np.arange(3) + 1.5, 1)).area, MultiPoint(points).convex_hull.area.__round__(5), square.intersection(box(1, 1, 3, 3)).area)
tree = shapely.STRtree(geometries)
print(len(tree.query(square)), tree.nearest(np.array([Point(1, 1), Point(3, 3)])), shapely.get_coordinates(square.buffer(1, quad_segs=2)).mean(axis=0).round(5))
print(shapely.linestrings(np.arange(12).reshape(2, 3, 2)).tolist(), shapely.area(shapely.polygons(np.array([[[0, 0], [1, 0], [1, 1]], [[0, 0], [2, 0], [2, 2.0]]]))))
