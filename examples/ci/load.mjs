/**
 * Sends requests at a constant rate, and prints how long each took, in milliseconds, one a line: `node load.mjs URL RATE SECONDS`.
 * Needs `npm install --save-dev autocannon`.
 */
import { once } from 'node:events';
// biome-ignore lint/correctness/noUndeclaredDependencies: the project that copies this file has it.
import autocannon from 'autocannon';

const [url = 'http://127.0.0.1:3000/', rate = '200', seconds = '10'] = process.argv.slice(2);
/** @type {string[]} */
const lines = [];
const load = autocannon({ url, connections: 20, overallRate: Number(rate), duration: Number(seconds) });
load.on('response', (_client, _status, _bytes, ms) => lines.push(ms.toFixed(3)));
const [{ non2xx, errors }] = await once(load, 'done');
process.stdout.write(lines.join('\n').concat('\n'));
if (non2xx + errors > 0) {
  // Answers of another kind are faster or slower, and no values to compare.
  console.error(`${non2xx} answers are not 2xx, and ${errors} requests have failed`);
  process.exitCode = 1;
}
