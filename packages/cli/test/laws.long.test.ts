// The laws of these files have more cases in the long run.
import './query/samples.test.ts';
