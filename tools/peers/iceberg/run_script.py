"""Runs the script that its first argument names, with the other arguments and the packages of this peer."""

import runpy
import sys

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
