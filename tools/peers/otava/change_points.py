"""Reads series as JSON, a list of lists of numbers, and writes the places of the change points that Apache Otava finds by default."""
import json
import sys

from otava.analysis import compute_change_points

places = []
for series in json.load(sys.stdin):
    found, _ = compute_change_points(series)
    places.append([int(point.index) for point in found])
json.dump(places, sys.stdout)
