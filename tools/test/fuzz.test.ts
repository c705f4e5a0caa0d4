import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseOf, kindOf, outcomeOf, shrink, type Target } from '../fuzz/engine.js';
import { FORMS, revive, written } from '../fuzz/forms.js';
import { mutateTree } from '../fuzz/mutate.js';
import { regressionsOf } from '../fuzz/run-target.js';
import { loadTarget, TARGETS } from '../fuzz/targets.js';
import { Random } from '../lib/random.js';
import { fuzz, SEED } from './fuzzing.ts';

describe('inputs that are nearly right, and the findings of earlier runs', () => {
  // A hundred thousand cases, in processes of their own, run in `npm run test:long`.
  const CASES = 30;

  test.each(Object.keys(TARGETS))('%s gives a value or an expected error', async (name) => {
    const target = await loadTarget(name);
    const { fromFile } = FORMS[target.form];
    const folder = regressionsOf(name);
    const files = existsSync(folder) ? readdirSync(folder) : [];
    const inputs = [
      ...files.map((file) => fromFile(readFileSync(join(folder, file)))),
      ...Array.from({ length: CASES }, (_, index) => caseOf(target, SEED, index)),
    ];
    const outcomes: unknown[] = [];
    for (const input of inputs) outcomes.push(await outcomeOf(target, input));
    expect(outcomes.filter((outcome) => typeof outcome !== 'string')).toEqual([]);
  });
});

test('--list names all targets', async () => {
  const { output } = await fuzz('--list');
  for (const name of [...Object.keys(TARGETS), 'java'])
    expect(output).toContain(`\n${name} `.slice(name === 'histogram' ? 1 : 0));
});

test.each([
  ['--cases', 'abc', 'an integer of at least 1'],
  ['--cases', '0', 'an integer of at least 1'],
  ['--minutes', '-1', 'a number of at least 0.001'],
  ['--seed', '', 'a number of at least 0'],
])('%s %j runs nothing and ends with exit code 2', async (option, value, range) => {
  const { code, output } = await fuzz('log-line', `${option}=${value}`);
  expect(code).toBe(2);
  expect(output).toBe(`${option} must be ${range}, got '${value}'\n`);
});

test('changed trees have keys that are called __proto__', () => {
  const random = new Random(7);
  const trees = Array.from({ length: 2000 }, () => mutateTree(random, { a: 1 }));
  expect(trees.filter((tree) => JSON.stringify(tree)?.includes('"__proto__":')).length).toBeGreaterThan(20);
});

describe('the engine', () => {
  const words: Target = {
    form: 'text',
    seeds: ['abc', 'def'],
    run(text) {
      if (text.includes('\n')) throw new TypeError('has 1 line too many');
    },
  };

  test('makes equal cases for equal seeds, and others for others', () => {
    const casesOf = (seed: number) => Array.from({ length: 50 }, (_, index) => caseOf(words, seed, index));
    expect(casesOf(1)).toEqual(casesOf(1));
    expect(casesOf(1)).not.toEqual(casesOf(2));
  });

  test('makes cases of each form that can be written to a file and read again', () => {
    const seeds = {
      bytes: Buffer.from('abc'),
      text: 'a\ud800b',
      json: '{"a":[1]}',
      message: { a: [1, { $: 'hole' }] },
    };
    for (const [name, form] of Object.entries(FORMS)) {
      const seed = seeds[name as keyof typeof seeds];
      for (let i = 0; i < 200; i++) {
        const input = form.make(new Random(3, i), [seed], []);
        expect(form.fromFile(form.toFile(input))).toEqual(input);
      }
    }
  });

  test('writes what JSON cannot hold, and revives it', () => {
    const value = {
      a: undefined,
      b: Number.NaN,
      c: [-0, Number.POSITIVE_INFINITY],
      d: Uint8Array.of(1, 2).buffer,
    };
    expect(revive(JSON.parse(JSON.stringify(written(value))))).toEqual(value);
    expect(0 in revive([{ $: 'hole' }])).toBe(false);
  });

  test('accepts values and expected errors', async () => {
    const refusing: Target = {
      ...words,
      run: () => {
        throw Object.assign(new Error('no'), { name: 'HdrscopeError' });
      },
    };
    expect(await outcomeOf(words, 'abc')).toBe('accepted');
    expect(await outcomeOf(refusing, 'abc')).toBe('refused');
  });

  test('shrinks a failure to what causes it', async () => {
    const failure = await outcomeOf(words, 'abcdefgh\nijklm\nnop');
    if (typeof failure === 'string') throw new Error('it must fail');
    expect((await shrink(words, failure)).input).toBe('\n');
    expect(kindOf(failure)).toBe(kindOf({ ...failure, message: 'TypeError: has 22 line too many' }));
  });

  test('finds cases that take too long, or too much memory', async () => {
    const slow: Target = {
      ...words,
      mostMs: 20,
      run() {
        const start = process.cpuUsage();
        while (process.cpuUsage(start).user < 60_000);
      },
    };
    const held: unknown[] = [];
    const large: Target = { ...words, mostMb: 20, run: () => held.push(new Float64Array(2 ** 24)) };
    expect(await outcomeOf(slow, '')).toEqual({ input: '', message: 'takes more than 20 ms' });
    expect(await outcomeOf(large, '')).toEqual({ input: '', message: 'takes more than 20 MB' });
  });
});
