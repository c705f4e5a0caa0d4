// These tests have more cells and larger inputs in the long run.
import './answer/bad-input.test.ts';
import './answer/baseline.test.ts';
import './answer/row-reader.test.ts';
import './answer/samples.test.ts';
import './gzip-events.test.ts';
import './live-table.test.ts';
