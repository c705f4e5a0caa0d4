/**
 * A child process that runs cases of a target: `child.js TARGET SEED FROM CASES SECONDS POSITION_FILE`. It writes the number of
 * each case to the file before it starts, so that its parent knows which one has ended or blocked the process.
 */
import { openSync, writeSync } from 'node:fs';
import { caseOf, kindOf, outcomeOf, shrink } from './engine.js';
import { FORMS } from './forms.js';
import { loadTarget } from './targets.js';

const [name = '', seed = '0', from = '0', cases = '0', seconds = '0', positionFile = ''] =
  process.argv.slice(2);

const target = await loadTarget(name);
Error.stackTraceLimit = 0;
const position = openSync(positionFile, 'r+');
const number = Buffer.alloc(8);
const kinds = new Set();
let accepted = 0;
const endMs = performance.now() + Number(seconds) * 1000;
let index = Number(from);
const end = index + Number(cases);
for (; index < end && performance.now() < endMs; index++) {
  number.writeDoubleBE(index);
  writeSync(position, number, 0, 8, 0);
  const outcome = await outcomeOf(target, caseOf(target, Number(seed), index));
  if (outcome === 'accepted') accepted += 1;
  if (typeof outcome === 'string' || kinds.has(kindOf(outcome))) continue;
  kinds.add(kindOf(outcome));
  const { input, message, stack } = await shrink(target, outcome);
  const file = Buffer.from(FORMS[target.form].toFile(input)).toString('base64');
  process.send?.({ index, message, stack, file });
}
process.send?.({ index, accepted, done: true });
process.disconnect?.();
