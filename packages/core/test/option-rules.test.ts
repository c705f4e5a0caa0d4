import {
  assertFollows,
  callback,
  integer,
  listOf,
  milliseconds,
  number,
  type OptionRule,
  type OptionRules,
  object,
  observer,
  oneOf,
  optional,
  optionsIn,
  readOptions,
  type Settings,
  text,
  withDefault,
} from '../src/internal.ts';
import { refusalOf } from './support/refused.ts';

interface DelayOptions {
  readonly name: string;
  readonly timeoutMs?: number;
  readonly unit?: 'ms' | 's';
  readonly onEnd?: (name: string) => void;
}

const TABLE = {
  name: 'delay',
  rules: {
    name: text,
    timeoutMs: withDefault(milliseconds({ from: 1 }), 1000),
    unit: withDefault(oneOf(['ms', 's']), 'ms'),
    onEnd: optional(callback()),
  } satisfies OptionRules<DelayOptions>,
};

/** Options of any kind, as a program without types passes them. */
const read = (options: object): Settings<DelayOptions, 'onEnd'> =>
  readOptions<DelayOptions, typeof TABLE.rules>(options as never, TABLE);

test('an option that is left out or undefined has its default', () => {
  const defaults = { name: 'a', timeoutMs: 1000, unit: 'ms', onEnd: undefined };
  expect(read({ name: 'a' })).toEqual(defaults);
  expect(read({ name: 'a', timeoutMs: undefined, onEnd: undefined })).toEqual(defaults);
  expect(read({ name: 'a', timeoutMs: 7, unit: 's' })).toEqual({ ...defaults, timeoutMs: 7, unit: 's' });
});

test('an option without a default is required', () => {
  expect(refusalOf(() => read({})).message).toBe('name must be a text, got undefined');
});

test('an option of an option has its whole name in the message', () => {
  const rules = { keep: withDefault(integer({ from: 0 }), 0) };
  const error = refusalOf(() => readOptions({ keep: -1 }, { name: 'rotation', rules }, 'rotation.'));
  expect(error).toMatchObject({ code: 'ERR_INVALID_OPTION', details: { what: 'rotation.keep', got: -1 } });
});

test('options in an option are checked with it', () => {
  const rotation = optionsIn<{ readonly keep?: number }>({
    name: 'rotation',
    rules: { keep: optional(integer({ from: 0 })) },
  });
  const table = { name: 'log', rules: { rotation: optional(rotation) } };
  const readLog = (given: object): object =>
    readOptions<{ readonly rotation?: object }, never>(given, table as never);
  expect(readLog({ rotation: { keep: 1 } })).toEqual({ rotation: { keep: 1 } });
  expect(refusalOf(() => readLog({ rotation: 7 })).message).toBe('rotation must be an object, got 7');
  expect(refusalOf(() => readLog({ rotation: { keep: -1 } })).message).toMatch(/^rotation\.keep must be/);
  expect(refusalOf(() => readLog({ rotation: { kept: 1 } })).message).toMatch(
    /rotation has no option "kept"/,
  );
});

test('an observer may leave out functions and have others', () => {
  const { accepts } = observer<{ succeeded?(): void; failed?(): void }>('succeeded', 'failed');
  expect([{}, { failed: () => {}, more: 7 }].every(accepts)).toBe(true);
  expect([undefined, null, [], { failed: 7 }, { succeeded: null }].some(accepts)).toBe(false);
});

test('an option that does not exist is refused with the name that was meant', () => {
  const error = refusalOf(() => read({ name: 'a', timeout: 7 }));
  expect(error.message).toBe('delay has no option "timeout": did you mean timeoutMs?');
});

test.each<[rule: OptionRule<unknown>, allowed: string, right: unknown[], wrong: unknown[]]>([
  [number(), 'a finite number', [0, -1.5], [Number.NaN, Number.POSITIVE_INFINITY, '1', null, 1n]],
  [number({ above: 0, below: 1 }), 'a finite number above 0 and below 1', [0.5], [0, 1]],
  [number({ from: 1, to: Number.POSITIVE_INFINITY }), 'a number of at least 1', [1, 1 / 0], [0, -1 / 0]],
  [number({ above: 0, to: 1 }), 'a finite number above 0 and at most 1', [1, 0.1], [0, 1.1]],
  [integer(), 'an integer', [0, -7], [0.5, 2 ** 53, Number.POSITIVE_INFINITY, true]],
  [integer({ from: 0, to: 9 }), 'an integer from 0 to 9', [0, 9], [-1, 10]],
  [integer({ from: 1, to: 1 / 0 }), 'an integer of at least 1, or Infinity', [1, 1 / 0], [0, 1.5]],
  [integer({ to: 2 ** 32 - 1 }), 'an integer at most 2^32 - 1', [-5], [2 ** 32]],
  [integer({ from: 2 ** 25 }), 'an integer of at least 2^25', [2 ** 25], [2 ** 25 - 1]],
  [milliseconds(), 'a number of milliseconds above 0 and at most 2^31 - 1', [0.1], [0, 2 ** 31, 1 / 0]],
  [milliseconds({ from: 1 }), 'a number of milliseconds from 1 to 2^31 - 1', [1, 1.5], [0.5]],
  [text, 'a text', ['', 'a'], [1, undefined, null]],
  [oneOf(['a', 'b']), "'a' or 'b'", ['a', 'b'], ['c', 0]],
  [
    listOf(integer({ from: 0 }), 'integers of at least 0'),
    'an array of integers of at least 0',
    [[], [1]],
    [[-1], 1],
  ],
  [object(), 'an object', [{}], [null, [], 1, () => {}]],
  [callback(), 'a function', [() => {}], [{}, null]],
])('%#: a rule takes what it says: %j', ({ allowed, accepts }, expected, right, wrong) => {
  expect(allowed).toBe(expected);
  expect(right.filter((value) => !accepts(value))).toEqual([]);
  expect(wrong.filter((value) => accepts(value))).toEqual([]);
});

test('a list names the first element that its rule refuses', () => {
  const rule = listOf(number({ from: 0 }), 'counts');
  assertFollows('counts', rule, [0, 1.5]);
  expect(() => assertFollows('counts', rule, 7)).toThrow('counts must be an array of counts, got 7');
  const message = 'counts[1] must be a finite number of at least 0, got null';
  expect(() => assertFollows('counts', rule, [1, null, 'x'])).toThrow(message);
  const lists = listOf(rule, 'lists');
  expect(() => assertFollows('rows', lists, [[], [1, -1]])).toThrow('rows[1][1] must be a finite number');
});

test('a list of options names the option of an element', () => {
  const rule = listOf(optionsIn<{ size: number }>({ name: 'a view', rules: { size: number() } }), 'views');
  assertFollows('views', rule, [{ size: 1 }]);
  const message = 'views[1].size must be a finite number, got "x"';
  expect(() => assertFollows('views', rule, [{ size: 1 }, { size: 'x' }])).toThrow(message);
});
