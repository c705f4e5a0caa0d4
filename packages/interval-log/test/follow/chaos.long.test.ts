// More rotations than the tests have time for.
import './chaos.test.ts';
