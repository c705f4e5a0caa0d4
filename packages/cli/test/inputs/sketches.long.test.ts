// The laws of this file have more cases in the long run.
import './sketches.test.ts';
