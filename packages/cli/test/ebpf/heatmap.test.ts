import { HdrscopeError } from '@hdrscope/core';
import { type Frame, logLinear8Layout } from '@hdrscope/ebpf';
import { Termination } from '../../src/command.ts';
import { command as heatmap } from '../../src/commands/ebpf/heatmap.ts';
import { fakeKernel, frameOf, runWith } from '../support/fake-kernel.ts';

const ARGS = ['/pin', '--layout', 'queue-depth', '--interval', '10ms'];
const MISSING = new HdrscopeError('ERR_KERNEL', 'no pin', { details: { errno: 'ENOENT' } });
const FRAMES = [
  frameOf([100, 0, 0, 0, 0, 0, 0, 0]),
  frameOf([101, 4, 0, 0, 0, 0, 0, 0]),
  frameOf([101, 4, 0, 0, 0, 0, 0, 0]),
  frameOf([101, 4, 9, 0, 0, 0, 0, 2]),
];

/** A clock that goes on by a second each time that it is read. */
function seconds(): () => number {
  let now = 0;
  return () => 1000 * now++;
}

async function drawn(args: readonly string[], frames: readonly (Frame | Error)[]) {
  const kernel = fakeKernel({ frames });
  const { stdout } = await runWith(heatmap, [...ARGS, ...args, '--json'], kernel, { monotonicMs: seconds() });
  return JSON.parse(stdout);
}

test('has a column for each interval and a row for each slot', async () => {
  const plot = await drawn(['-n', '3', '--unit', 'us'], FRAMES);
  expect(plot).toMatchObject({
    kind: 'heat-map',
    title: 'queue_hist',
    subtitle: '16 values in 3 s',
    y: {
      unit: 'us',
      slots: [
        { lower: 0, upper: 1 },
        { lower: 1, upper: 2 },
        { lower: 2, upper: 5 },
        {},
        {},
        {},
        {},
        { lower: 65 },
      ],
    },
  });
  expect(plot.x.slots.map(({ lower, upper }: { lower: number; upper: number }) => upper - lower)).toEqual([
    1000, 1000, 1000,
  ]);
  const none = [0, 0, 0];
  expect(plot.counts).toEqual([[1, 0, 0], [4, 0, 0], [0, 0, 9], none, none, none, none, [0, 0, 2]]);
});

test('is drawn with characters', async () => {
  const options = { monotonicMs: seconds(), columns: 60, environment: { LC_ALL: 'C' } };
  const kernel = fakeKernel({ frames: FRAMES });
  const { stdout } = await runWith(heatmap, [...ARGS, '-n', '3', '--unit', 'us'], kernel, options);
  const rows = stdout.split('\n').filter((line) => line.includes('|'));
  expect(
    rows.map((row) =>
      row
        .replace(/[^|]+$/, '')
        .trim()
        .split('|')[0]!
        .trim(),
    ),
  ).toEqual([...['>=65 us', '33 us', '17 us', '9 us', '5 us', '2 us', '1 us', '0']]);
  expect(stdout).toMatch(/^queue_hist\n16 values in 3 s\n/);
  expect(stdout).toMatch(/^[\n -~]*$/);
});

test('adds up the histograms of several keys', async () => {
  const [frame] = [frameOf([1, 0, 0, 0, 0, 0, 0, 5])];
  const keys = frame!.histograms.flatMap((one) => ['a', 'b'].map((k) => ({ ...one, attributes: { k } })));
  const empty = keys.map((one) => ({ ...one, counts: new Float64Array(8) }));
  const { counts } = await drawn(
    ['-n', '1'],
    [
      { ...frame!, histograms: empty },
      { ...frame!, histograms: keys },
    ],
  );
  expect(counts.flat()).toEqual([2, 0, 0, 0, 0, 0, 0, 10]);
});

test('waits for a map, and has one column for a time in which it was away', async () => {
  const later = frameOf([104, 0, 0, 0, 0, 0, 0, 0]);
  const { counts, x } = await drawn(['-n', '4'], [MISSING, FRAMES[0]!, MISSING, MISSING, later]);
  expect(counts[0]).toEqual([4]);
  expect(x.slots).toHaveLength(1);
});

test('grows on a terminal, and is drawn over itself', async () => {
  const kernel = fakeKernel({ frames: FRAMES });
  const options = { monotonicMs: seconds(), columns: 80, isTerminal: true, environment: { NO_COLOR: '1' } };
  const { stdout } = await runWith(heatmap, [...ARGS, '-n', '3'], kernel, options);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the sequences that move the cursor.
  const [first = '', second = '', third = ''] = stdout.split(/\u001b\[\d+A\u001b\[J/);
  expect([first, second, third].map((text) => /^\d+ values in .*$/m.exec(text)?.[0])).toEqual([
    '5 values in 1 s',
    '5 values in 2 s',
    '16 values in 3 s',
  ]);
  expect(stdout).toContain(`\u001b[${first.split('\n').length - 1}A\u001b[J`);
});

test('an interruption ends the counting, not the drawing', async () => {
  const kernel = fakeKernel({ frames: FRAMES });
  const ending = new AbortController();
  const running = runWith(heatmap, [...ARGS, '-n', '1000'], kernel, {
    signal: ending.signal,
    monotonicMs: () => {
      setTimeout(() => ending.abort(new Termination('SIGINT', 130)), 100);
      return performance.now();
    },
  });
  expect((await running).stdout).toMatch(/^(queue_hist|\/pin)\n/);
});

test('reports that nothing was counted', async () => {
  const { stdout } = await runWith(heatmap, [...ARGS, '-n', '1'], fakeKernel({ frames: [FRAMES[0]!] }));
  expect(stdout).toContain('nothing was counted');
});

test('ends with the picture so far when another map has other slots', async () => {
  const other = frameOf(new Array(496).fill(1), { layout: logLinear8Layout(), generation: 'map 43' });
  let stdout = '';
  const running = runWith(
    heatmap,
    [...ARGS, '-n', '3'],
    fakeKernel({ frames: [...FRAMES.slice(0, 2), other] }),
    {
      onOutput: (text) => {
        stdout += text;
      },
    },
  );
  await expect(running).rejects.toThrow(
    '/pin has other slots than before, and one picture cannot have both: begin another one',
  );
  expect(stdout).toContain('5 values in');
});

test.each([[[MISSING]], [[new Error('unreadable')]]])(
  'draws nothing when %j is all there is at the start',
  async ([error]) => {
    const kernel = fakeKernel({ frames: [error!] });
    await expect(runWith(heatmap, ['id:7', ...ARGS.slice(1), '-n', '3'], kernel)).rejects.toThrow(
      error!.message,
    );
  },
);

test('refuses more columns than a picture has', async () => {
  await expect(drawn(['-n', '1001'], FRAMES)).rejects.toThrow(
    '--intervals must be an integer from 1 to 1000',
  );
});
