// The laws of these files have more cases in the long run.
import './double-fuzz.test.ts';
import './fuzz.test.ts';
import './mutated.test.ts';
import './v2.test.ts';
import './varint-runs.test.ts';
