// The laws of these files have more cases in the long run.
import './migrate/random-queries.test.ts';
