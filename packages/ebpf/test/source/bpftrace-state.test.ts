import { readFileSync } from 'node:fs';
import type { KernelHistogram } from '../../src/index.ts';
import { BpftraceState, parseBpftraceLine } from '../../src/source/bpftrace-output.ts';

const RECORDED = readFileSync(new URL('../fixtures/bpftrace/kinds.v0.17.ndjson', import.meta.url), 'utf8')
  .split('\n')
  .map(parseBpftraceLine);

function update(state: BpftraceState, line: unknown): void {
  const parsed = parseBpftraceLine(JSON.stringify(line));
  if (parsed.kind === 'histograms') state.update(parsed.variable, parsed.printed);
}

function hist(variable: string, held: unknown): unknown {
  return { type: 'hist', data: { [variable]: held } };
}

/** Counts by the bounds of their slots. */
function counted({ layout: { slots }, counts }: KernelHistogram): Record<string, number> {
  return Object.fromEntries(
    [...counts.entries()]
      .filter(([, count]) => count > 0)
      .map(([slot, count]) => [`${slots.lower(slot)}..${slots.upper(slot)}`, count]),
  );
}

function shown(state: BpftraceState): Record<string, Record<string, number>> {
  const histograms = state.histograms((_, key) => (key === undefined ? {} : { key }));
  return Object.fromEntries(
    histograms.map((histogram) => [
      `${histogram.name} ${histogram.attributes.key ?? ''}`.trim(),
      counted(histogram),
    ]),
  );
}

test('reads a recorded script that is printed again at its end', () => {
  const state = new BpftraceState();
  const seen = RECORDED.map((line) => {
    if (line.kind === 'histograms') state.update(line.variable, line.printed);
    return shown(state);
  });
  expect(seen.at(-1)).toEqual({
    // Cleared once: 10, then 5.
    '@h': { '0..0': 5, '1..1': 5, '256..511': 5 },
    '@l': { '-Infinity..4': 15, '50..58': 15, '95..Infinity': 15 },
    // The other key was cleared.
    '@two swapper/0,0': { '4..7': 5 },
    '@n': { '-Infinity..-1': 1 },
    '@z': { '0..9': 1 },
    '@big': { [`${2 ** 31}..Infinity`]: 1 },
    '@big2': { [`${2 ** 31}..Infinity`]: 1 },
  });
  expect(seen.map((variables) => variables['@l']?.['50..58'] ?? 0)).toEqual(
    [...seen.map((variables) => variables['@l']?.['50..58'] ?? 0)].sort((a, b) => a - b),
  );
  expect(state.layoutChanges).toBe(0);
});

test('does not deliver counts again when a layout turns out to be another one', () => {
  const state = new BpftraceState();
  update(state, hist('@other', [{ min: 4, max: 7, count: 100 }]));
  update(state, hist('@h', [{ min: 1, max: 1, count: 3 }]));
  expect(shown(state)).toEqual({ '@other': { '4..7': 100 }, '@h': { '1..1': 3 } });
  // Only now the buckets show that this is hist(n, 1).
  update(
    state,
    hist('@h', [
      { min: 1, max: 1, count: 4 },
      { min: 6, max: 7, count: 2 },
    ]),
  );
  expect(state.layoutChanges).toBe(1);
  expect(shown(state)).toEqual({ '@other': {}, '@h': { '1..1': 1, '6..7': 2 } });
  update(state, hist('@other', [{ min: 4, max: 7, count: 101 }]));
  expect(shown(state)).toEqual({ '@other': { '4..7': 1 }, '@h': { '1..1': 1, '6..7': 2 } });
  // Cleared.
  update(state, hist('@h', [{ min: 1, max: 1, count: 2 }]));
  expect(shown(state)['@h']).toEqual({ '1..1': 2 });
  expect(state.layoutChanges).toBe(1);
});

test('delivers counts in full that were not delivered before the layout changed', () => {
  const state = new BpftraceState();
  update(state, hist('@h', [{ min: 1, max: 1, count: 3 }]));
  update(
    state,
    hist('@h', [
      { min: 1, max: 1, count: 3 },
      { min: 6, max: 7, count: 2 },
    ]),
  );
  expect(shown(state)).toEqual({ '@h': { '1..1': 3, '6..7': 2 } });
});

test('leaves out variables that have no buckets', () => {
  const state = new BpftraceState();
  update(state, hist('@h', {}));
  update(state, hist('@g', []));
  expect(shown(state)).toEqual({});
});

test('keeps its counts when no layout has the buckets', () => {
  const state = new BpftraceState();
  update(state, hist('@h', [{ min: 1, max: 1, count: 3 }]));
  expect(() =>
    update(
      state,
      hist('@h', [
        { min: 1, max: 3, count: 3 },
        { min: 10, max: 27, count: 3 },
      ]),
    ),
  ).toThrow('@h');
  expect(shown(state)).toEqual({ '@h': { '1..1': 3 } });
});
