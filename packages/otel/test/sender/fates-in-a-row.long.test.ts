// The laws of these files have more cases in the long run.
import './fates-in-a-row.test.ts';
import './queue-kills.test.ts';
