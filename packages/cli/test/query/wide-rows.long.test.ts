// The laws have more cases in the long run.
import './wide-rows.test.ts';
