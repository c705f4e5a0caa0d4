import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { caseOf, kindOf, outcomeOf, shrink, type Target } from '../fuzz/engine.js';
import { FORMS, revive, written } from '../fuzz/forms.js';
import { mutateTree } from '../fuzz/mutate.js';
import { TARGETS } from '../fuzz/targets.js';
import { Random } from '../lib/random.js';
import { workspaceRoot } from '../lib/workspace.js';

/** Cases of all targets; the tests of core run 100,000 more. */
const CASES = 100_000;
const SEED = 20_260_101;

async function fuzz(...args: string[]): Promise<{ code: number | null; output: string }> {
  const sources = join(workspaceRoot, 'tools/fuzz/sources.js');
  const program = join(workspaceRoot, 'tools/fuzz/main.js');
  const child = spawn(
    process.execPath,
    ['--conditions=@hdrscope/source', '--enable-source-maps', '--import', sources, program, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

test('every decoder and parser gives a value or an expected error for inputs that are nearly right', async () => {
  const { code, output } = await fuzz('--cases', String(CASES), '--seed', String(SEED));
  expect([code, output]).toEqual([0, expect.any(String)]);
  const rows = [...output.matchAll(/^(\S+) +(\d+) cases, (\d+) % accepted/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(TARGETS));
  expect(rows.reduce((sum, [, , cases]) => sum + Number(cases), 0)).toBeGreaterThanOrEqual(CASES);
  // A target that refuses everything proves nothing.
  expect(rows.filter(([, , , share]) => share === '0').map(([row]) => row)).toEqual([]);
}, 900_000);

test('random programs over the API of Histogram give what Java gives', async () => {
  const { code, output } = await fuzz('java', '--cases', '1000', '--seed', String(SEED));
  expect([code, output]).toEqual([0, expect.any(String)]);
  const [reason] = /skipped: .*/.exec(output) ?? [];
  if (reason === undefined) expect(output).toMatch(/1000 programs in .* 0 findings/);
  else console.log(reason);
}, 600_000);

test('--list names all targets', async () => {
  const { output } = await fuzz('--list');
  for (const name of [...Object.keys(TARGETS), 'java'])
    expect(output).toContain(`\n${name} `.slice(name === 'histogram' ? 1 : 0));
});

test.each([
  ['--cases', 'abc'],
  ['--cases', '0'],
  ['--minutes', '-1'],
  ['--seed', ''],
])('%s %j runs nothing and ends with exit code 2', async (option, value) => {
  const { code, output } = await fuzz('log-line', `${option}=${value}`);
  expect(code).toBe(2);
  expect(output).toContain(`${option} must be a number`);
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
