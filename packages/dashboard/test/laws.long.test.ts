// These tests have more cells and larger inputs in the long run.
import './answer/bad-input.test.ts';
import './answer/baseline.test.ts';
