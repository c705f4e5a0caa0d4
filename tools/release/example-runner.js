/**
 * Runs one example of a document: `node example-runner.js MODULE GLOBAL FILE LINE...`. The lines are those with an expectation, which
 * the module checks through the global. Exits with 1, and says why, when an expectation does not hold.
 */
import { pathToFileURL } from 'node:url';
import { expect } from 'expect';
import { createChecks } from '../lib/example-checks.js';

const [module = '', name = '', file = '', ...lines] = process.argv.slice(2);
const checks = createChecks(file, lines.map(Number), (actual, expected) => expect(actual).toEqual(expected));
Reflect.set(globalThis, Symbol.for(name), checks);
console.log = () => {};
try {
  await import(pathToFileURL(module).href);
  checks.assertAllReached();
  // An example may leave a server or a timer behind.
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
