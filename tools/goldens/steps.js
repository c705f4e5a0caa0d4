/** Steps that change the histogram `h`, one after the other. */
import { make, record } from './ask.js';
import { Rejected } from './oracle.js';

const STATE = [
  'totalCount',
  'min',
  'max',
  'highestTrackableValue',
  'countsArrayLength',
  'integerToDoubleRatio',
];

/**
 * Returns each step with the state after it in `after`. A step that HdrHistogram refuses has `rejected` instead and is the
 * last one, because the state after it is undefined.
 */
export async function takeSteps(oracle, steps) {
  const taken = [];
  for (const step of steps) {
    await makeOther(oracle, step);
    try {
      await perform(oracle, step);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return { rejected: true, steps: [...taken, { ...step, rejected: error.message }] };
    }
    const summary = await oracle.ask('summary', 'h');
    const state = STATE.filter((key) => key in summary).map((key) => [key, summary[key]]);
    taken.push({ ...step, after: Object.fromEntries(state) });
  }
  return { rejected: false, steps: taken };
}

async function makeOther(oracle, { other }) {
  if (other) await make(oracle, 'other', other);
  if (other?.shiftLeft) await oracle.ask('shiftLeft', 'other', other.shiftLeft);
}

async function perform(oracle, { do: what, by, expectedInterval, ...recording }) {
  switch (what) {
    case 'record':
      return record(oracle, 'h', recording);
    case 'add':
    case 'subtract':
      return oracle.ask(what, 'h', 'other');
    case 'addWhileCorrecting':
      return oracle.ask(what, 'h', 'other', expectedInterval);
    case 'copyCorrected':
      return oracle.ask(what, 'h', 'h', expectedInterval);
    case 'copy':
      return oracle.ask(what, 'h', 'h');
    case 'shiftLeft':
    case 'shiftRight':
      return oracle.ask(what, 'h', by);
    case 'reset':
      return oracle.ask(what, 'h');
    default:
      throw new Error(`no step is called ${what}`);
  }
}
