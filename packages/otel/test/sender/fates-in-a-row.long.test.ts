// The law of this file has more cases in the long run.
import './fates-in-a-row.test.ts';
