// The laws of these files have more cases in the long run.
import './time-zone.test.ts';
