import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltPackages } from '@hdrscope/testing';
import {
  type Arrived,
  afterTheLast,
  arrivedInOrder,
  type Batch,
  compare,
  type Ledger,
  nothing,
  parseLedger,
  sumOf,
  within,
} from '../chaos/ledger.js';
import { failuresOf } from '../chaos/report.js';
import { hasTimeFor, scenarioAt } from '../chaos/schedule.js';
import { workspaceRoot } from '../lib/workspace.js';

/** A ledger with one batch every 10 ms. */
function ledgerOf(counts: readonly number[], safe = 0): Ledger {
  const batches = counts.map((count, i) => ({ number: i + 1, count, atMs: 10 * i }));
  return { run: 'r1', batches, safe, events: [] };
}

const arrivedOf = (...counts: readonly number[]): Arrived =>
  new Map(counts.map((count, i) => [i + 1, count] as const).filter(([, count]) => count > 0));

describe('a ledger', () => {
  test('is read without the line that a killed process has torn', () => {
    expect(parseLedger('r1', 'b 1 20 1000500\ne the disk is full\nw 20\nb 2 7 1010\nb 3 1')).toEqual({
      run: 'r1',
      batches: [
        { number: 1, count: 20, atMs: 1000.5 },
        { number: 2, count: 7, atMs: 1.01 },
      ],
      safe: 20,
      events: ['the disk is full'],
    });
    expect(parseLedger('r1', '').batches).toEqual([]);
  });

  test('with a gap or another line is refused', () => {
    expect(() => parseLedger('r1', 'b 2 1 1\n')).toThrow('r1: batch 2 follows 0');
    expect(() => parseLedger('r1', 'x\n')).toThrow('r1: the ledger must have lines b, w and e, got "x"');
  });
});

describe('a comparison', () => {
  const outcomeOf = (
    ledger: Ledger,
    arrived: Arrived,
    mayBeLost: (batch: Batch) => boolean = afterTheLast(ledger, arrived),
  ) => {
    const { lost, twice, windowValues, windowMs } = compare(ledger, arrived, mayBeLost);
    return { lost, twice, windowValues, windowMs };
  };

  test('allows the loss of the last batches', () => {
    expect(outcomeOf(ledgerOf([1, 2, 3, 4]), arrivedOf(1, 2))).toEqual({
      lost: 0,
      twice: 0,
      windowValues: 7,
      windowMs: 10,
    });
  });

  test('finds a batch that is lost before another one', () => {
    expect(outcomeOf(ledgerOf([1, 2, 3]), arrivedOf(1, 0, 3))).toMatchObject({ lost: 2, windowValues: 0 });
  });

  test('finds a part of a batch, also where the whole may be lost', () => {
    expect(outcomeOf(ledgerOf([1, 5]), arrivedOf(1, 4))).toMatchObject({ lost: 1, windowValues: 0 });
  });

  test('finds the loss of values that were reported as safe', () => {
    expect(outcomeOf(ledgerOf([1, 2, 3], 3), arrivedOf(1))).toMatchObject({ lost: 2, windowValues: 3 });
  });

  test('finds values that were counted twice, and values that nobody has recorded', () => {
    expect(outcomeOf(ledgerOf([1, 2]), arrivedOf(2, 2, 9))).toMatchObject({ lost: 0, twice: 10 });
  });

  test('does not let a loss and a repetition cancel each other', () => {
    expect(outcomeOf(ledgerOf([2, 2, 2]), arrivedOf(2, 0, 4))).toMatchObject({ lost: 2, twice: 2 });
  });

  test('allows the loss of batches of some times', () => {
    const ledger = ledgerOf([1, 1, 1, 1, 1, 1]);
    expect(outcomeOf(ledger, arrivedOf(1, 0, 0, 1, 0, 1), within([[10, 20]]))).toEqual({
      lost: 1,
      twice: 0,
      windowValues: 2,
      windowMs: 10,
    });
    expect(outcomeOf(ledger, arrivedOf(1), nothing)).toMatchObject({ lost: 5, windowValues: 0 });
  });

  test('takes a sum as that of the first batches', () => {
    const ledger = ledgerOf([2, 3, 4]);
    expect([...arrivedInOrder(ledger, 5)]).toEqual([...arrivedOf(2, 3)]);
    // A snapshot has a batch as a whole or not at all.
    expect(compare(ledger, arrivedInOrder(ledger, 6), nothing)).toMatchObject({ lost: 3, twice: 0 });
    expect(compare(ledger, arrivedInOrder(ledger, 11), nothing)).toMatchObject({ lost: 0, twice: 2 });
  });
});

test('a round fails for lost values, repeated values, a long window, another problem, and when it shows nothing', () => {
  const good = { recorded: 5, arrived: 4, lost: 0, twice: 0, windowValues: 1, windowMs: 30 };
  const failures = (outcome: object, mostWindowMs = 30, problems: string[] = []) =>
    failuresOf({ mostWindowMs }, { tries: 1, outcomes: [{ ...good, ...outcome }], problems });
  expect(failures({})).toEqual([]);
  expect(failures({ lost: 3 })).toEqual(['3 values are lost outside of the window']);
  expect(failures({ twice: 3 })).toEqual(['3 values are counted twice']);
  expect(failures({}, 29)).toEqual(['a window has 30 ms, at most 29 ms are allowed']);
  expect(failures({}, 30, ['torn', 'torn'])).toEqual(['torn']);
  expect(failures({ arrived: 0 })).toEqual(['no value has arrived']);
  expect(sumOf([good, { ...good, windowMs: 7 }])).toEqual({
    recorded: 10,
    arrived: 8,
    lost: 0,
    twice: 0,
    windowValues: 2,
    windowMs: 30,
  });
});

test('scenarios take turns, each of them at least once, as long as there is time', () => {
  expect([0, 1, 2, 3].map((index) => scenarioAt(['a', 'b', 'c'], index))).toEqual(['a', 'b', 'c', 'a']);
  const state = { rounds: 2, scenarios: 3, elapsedMs: 90_000, limitMs: 60_000 };
  expect(hasTimeFor(state)).toBe(true);
  expect(hasTimeFor({ ...state, rounds: 3 })).toBe(false);
  // Ten rounds of 5 s each: another one fits.
  expect(hasTimeFor({ rounds: 10, scenarios: 3, elapsedMs: 50_000, limitMs: 55_000 })).toBe(true);
  expect(hasTimeFor({ rounds: 10, scenarios: 3, elapsedMs: 50_000, limitMs: 54_999 })).toBe(false);
});

describe('a run', () => {
  const built = new BuiltPackages(['interval-log', 'otel', 'registry']);
  afterAll(() => built.remove());

  test('of one round kills threads and loses nothing outside of the window', () => {
    const tools = join(built.directory, 'tools');
    for (const part of ['package.json', 'chaos', 'lib', 'peers', 'contention']) {
      cpSync(join(workspaceRoot, 'tools', part), join(tools, part), { recursive: true });
    }
    const args = ['--no-build', '--scenario', 'kill-thread', '--seed', '7', '--round', '3'];
    const script = join(tools, 'chaos/main.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^kill-thread +1 +8 +\d+ +0 +0 /m);
    expect(stdout).toContain('Nothing is lost outside of the windows, and nothing is counted twice.');
  });
});
