import { stripVTControlCharacters } from 'node:util';
import { HdrscopeError } from '@hdrscope/core';
import { type Frame, framesSource } from '@hdrscope/ebpf';
import type { VisibleMap } from '@hdrscope/ebpf/internal';
import { command as watch } from '../../src/commands/ebpf/watch.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from '../support/fake-kernel.ts';

const depths = (count: number): Frame => frameOf([0, count, 0, 0, 0, 0, 0, 0]);

interface MapOfTest {
  readonly id: number;
  readonly name?: string;
  readonly isKnown?: boolean;
  readonly frames: readonly (Frame | Error)[];
}

/** A kernel whose maps are, at each look, the next ones. The last ones stay. */
function kernelOf(...looks: MapOfTest[][]) {
  const all = new Map(looks.flat().map((map) => [map.id, map]));
  let at = -1;
  const now = (): readonly MapOfTest[] => looks[Math.min(at, looks.length - 1)]!;
  const visible = ({ id, name = 'queue_hist', isKnown = true }: MapOfTest): VisibleMap => ({
    ...{ ...QUEUE_HIST, id, name, pins: [] },
    known: isKnown ? QUEUE_HIST.known : undefined,
  });
  return fakeKernel({
    mapIds: async () => {
      at++;
      return now().map(({ id }) => id);
    },
    list: async () => ({ maps: now().map(visible), incomplete: undefined }),
    open: (place) => {
      const { name = 'queue_hist', frames } = all.get((place as { id: number }).id)!;
      const named = frames.map((frame) =>
        frame instanceof Error
          ? frame
          : { ...frame, histograms: frame.histograms.map((one) => ({ ...one, name })) },
      );
      return framesSource(named, { name });
    },
  });
}

const ARGS = ['--interval', '5ms', '--percentiles', '99'];
const linesOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));

test('without a map, all maps that show their layouts are watched', async () => {
  const kernel = kernelOf([
    { id: 1, frames: [depths(10), depths(12)] },
    { id: 2, name: 'wait', frames: [depths(5), depths(9)] },
    { id: 3, name: 'hidden', isKnown: false, frames: [] },
  ]);
  const { exitCode, stdout, stderr } = await runWith(watch, [...ARGS, '-n', '1'], kernel);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(linesOf(stdout)).toEqual([
    ['count', 'rate/s', 'p99', 'histogram'],
    ['2', '400.0', '1', 'queue_hist'],
    ['4', '800.0', '1', 'wait'],
  ]);
});

test('a screen has the largest counts first, and no more lines than fit', async () => {
  const maps = Array.from({ length: 45 }, (_, id) => ({
    ...{ id, name: `map_${id}` },
    frames: [depths(0), depths(1 + id)],
  }));
  const { stdout } = await runWith(watch, [...ARGS, '-n', '1'], kernelOf(maps), { isTerminal: true });
  const lines = linesOf(stripVTControlCharacters(stdout));
  expect(stdout.startsWith('\u001b[H\u001b[2J')).toBe(true);
  expect([lines.length, lines[1]![0], lines[40]![0], lines[41]]).toEqual([
    ...[42, 'map_44', 'map_5', ['and 5 more']],
  ]);
});

test.each([
  [40, 24],
  [60, 10],
  [80, 24],
  [80, 5],
  [120, 50],
  [200, 3],
])(
  'a terminal of %d columns and %d rows shows what counted most, and how many do not fit',
  async (columns, rows) => {
    const maps = Array.from({ length: 45 }, (_, id) => ({
      ...{ id, name: `a_longer_map_${id}` },
      frames: [depths(0), depths(10_000 + id)],
    }));
    const screen = { isTerminal: true, columns, rows };
    const { stdout } = await runWith(watch, ['--interval', '5ms', '-n', '1'], kernelOf(maps), screen);
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    const names = lines.flatMap((line) => /a_longer_map_\d+/.exec(line) ?? []);
    // Below the last line is the cursor. The block of one map is shown though a screen is lower.
    expect(lines.length).toBeLessThan(Math.max(rows, 9));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(names).toEqual(names.map((_, at) => `a_longer_map_${44 - at}`));
    expect(lines.at(-1)).toBe(names.length === 45 ? lines.at(-1) : `and ${45 - names.length} more`);
  },
);

test('maps come and go, and what a new one had counted is of no interval', async () => {
  const one = { id: 1, frames: [depths(1), depths(2), depths(4)] };
  const two = { id: 2, name: 'wait', frames: [depths(1000), depths(1003)] };
  const { stdout, stderr } = await runWith(watch, [...ARGS, '-n', '3'], kernelOf([one], [one, two], [two]));
  expect(stderr).toBe('');
  expect(linesOf(stdout).slice(1)).toEqual([
    ['1', '200.0', '1', 'queue_hist'],
    ['3', '600.0', '1', 'wait'],
    ['0', '0.0', '-'],
  ]);
});

test('the title of the second map of a name has its id', async () => {
  const frames = [depths(0), depths(1)];
  const args = [...ARGS, '-n', '1'];
  const { stdout } = await runWith(
    watch,
    args,
    kernelOf([
      { id: 1, frames },
      { id: 2, frames },
    ]),
  );
  expect(
    linesOf(stdout)
      .slice(1)
      .map((cells) => cells.at(-1)),
  ).toEqual(['queue_hist', 'queue_hist{map=2}']);
});

test('a map that cannot be read is noted once, and the others are shown', async () => {
  const broken = new HdrscopeError('ERR_KERNEL', 'slot 3 has -1 values');
  const kernel = kernelOf([
    { id: 1, frames: [broken] },
    { id: 2, name: 'wait', frames: [depths(0), depths(1), depths(2)] },
  ]);
  const { exitCode, stdout, stderr } = await runWith(watch, [...ARGS, '-n', '2'], kernel);
  expect([exitCode, stderr]).toEqual([1, 'hdrscope: queue_hist: slot 3 has -1 values\n']);
  expect(linesOf(stdout)).toHaveLength(3);
});

test('a machine without such a map is refused, and so are options of one map', async () => {
  const none = kernelOf([{ id: 1, isKnown: false, frames: [] }]);
  await expect(runWith(watch, ARGS, none)).rejects.toThrow('no map of this machine shows its layout');
  await expect(runWith(watch, [...ARGS, '--layout', 'bcc'], none)).rejects.toThrow(
    '--layout is for one map: name it',
  );
});
