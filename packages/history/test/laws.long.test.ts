// The laws of these files have more cases in the long run.
import './killed.test.ts';
import './rows/rows-between.test.ts';
import './rows/slots.test.ts';
import './rows/ticks.test.ts';
import './sql/hostile-texts.test.ts';
import './verify/missing.test.ts';
