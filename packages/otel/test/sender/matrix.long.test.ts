// All cells of the matrix.
import './matrix.test.ts';
