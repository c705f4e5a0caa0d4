// The laws of these files have more cases in the long run.
import './remote/exchange.test.ts';
import './remote/mutations.test.ts';
import './remote/threads.test.ts';
import './remote/wire.test.ts';
import './slot-plans.test.ts';
import './thresholds.test.ts';
import './samples.test.ts';
import './wide-slots.test.ts';
