import { runInNewContext } from 'node:vm';
import { notify, warn } from '../src/index.ts';

const { emitWarning } = process;
let warnings: unknown[][] = [];
beforeEach(() => {
  warnings = [];
  process.emitWarning = (...args: unknown[]) => void warnings.push(args);
});
afterEach(() => {
  process.emitWarning = emitWarning;
});

test('a listener is called once, and nothing is emitted', () => {
  let calls = 0;
  notify(() => calls++);
  expect([calls, warnings]).toEqual([1, []]);
});

test('an error of a listener becomes a warning', () => {
  const error = new RangeError('too late');
  notify(() => {
    throw error;
  });
  expect(warnings).toEqual([['too late', { type: 'RangeError', detail: error.stack }]]);
});

test.each([
  [runInNewContext("new TypeError('of another realm')"), 'of another realm', 'TypeError'],
  ['a text', 'a text', 'Error'],
  [undefined, 'undefined', 'Error'],
  [null, 'null', 'Error'],
  [{ name: 7, message: 5 }, '5', '7'],
])('%p is emitted with a message and a type, which are texts', (thrown, message, type) => {
  warn(thrown);
  expect(warnings).toEqual([[message, { type, detail: expect.any(String) }]]);
});
