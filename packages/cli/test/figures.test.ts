import { readFileSync } from 'node:fs';
import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { command as ebpfRead } from '../src/commands/ebpf/read.ts';
import { command as ebpfWatch } from '../src/commands/ebpf/watch.ts';
import { serveDumps } from './support/ceph-daemon.ts';
import { hdrscope } from './support/fake-io.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from './support/fake-kernel.ts';
import { faultsIn, type Schema } from './support/json-schema.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/formats/percentiles.schema.json', import.meta.url), 'utf8'),
) as Schema;
const folder = useFolder();

type Figure = Readonly<Record<'value' | 'lower' | 'upper', number | null>>;

const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(100) },
  { tag: 'idle', at: 1, ms: [] },
]);
const FRAMES = [frameOf([0, 1, 2, 0, 0, 0, 0, 1]), frameOf([0, 4, 2, 0, 0, 0, 0, 9])];

const print = async (...args: string[]): Promise<string> => (await hdrscope(args, { stdin: LOG })).stdout;

/** The distributions that each command prints. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown[]>>> = {
  record: async () => [JSON.parse((await hdrscope(['record', '--json'], { stdin: '1\n2\n' })).stdout)],
  'log summary': async () => JSON.parse(await print('log', 'summary', '--json', '-')).tags,
  'log tail': async () => linesOf(await print('log', 'tail', '--json', '-')),
  'log convert': async () => linesOf(await print('log', 'convert', '--format', 'ndjson', '-')),
  async diff() {
    const { before, after } = JSON.parse(await print('diff', '--json', '-', folder.write('b.hlog', LOG)));
    return [before.runs[0], after.runs[0]];
  },
  async 'ebpf read'() {
    const kernel = fakeKernel({ frames: FRAMES });
    return JSON.parse((await runWith(ebpfRead, [QUEUE_HIST.pins[0]!, '--json'], kernel)).stdout).histograms;
  },
  async 'ebpf watch'() {
    const args = [QUEUE_HIST.pins[0]!, '--json', '-n', '1', '--interval', '1ms'];
    return linesOf((await runWith(ebpfWatch, args, fakeKernel({ frames: FRAMES }))).stdout);
  },
  async 'ceph dump'() {
    const { stdout } = await hdrscope(['ceph', 'dump', '--json', '-'], { stdin: OSD_DUMP });
    return JSON.parse(stdout).flatMap(({ axes }: { axes: unknown[] }) => axes);
  },
  async 'ceph top'() {
    const { path } = await serveDumps(folder.pathOf('ceph-osd.7.asok'), [OSD_DUMP, OSD_DUMP_LATER]);
    const args = ['ceph', 'top', path, '--once', '--json', '--interval', '10ms'];
    const { operations, kinds, slowest } = JSON.parse((await hdrscope(args)).stdout);
    return [operations, ...slowest, ...kinds.flatMap((kind: { sizes: unknown[] }) => [kind, ...kind.sizes])];
  },
};

function linesOf(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test.each(Object.keys(COMMANDS))('%s prints distributions that fit the schema', async (command) => {
  const found = await COMMANDS[command]!();
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) {
    expect(faultsIn(one, schema)).toEqual([]);
    const { min, mean, max, percentiles } = one as Record<'min' | 'mean' | 'max', Figure> & {
      percentiles: Figure[];
    };
    for (const { value, lower, upper } of [min, mean, max, ...percentiles]) {
      // An open end is null, and so is the value that has none.
      expect(value === null || (lower ?? value) <= value).toBe(true);
      expect(value === null || value <= (upper ?? value)).toBe(true);
    }
  }
});

test('the schema refuses other shapes', async () => {
  const [right] = (await COMMANDS.record!()) as [Record<string, unknown>];
  const faults = (changes: object): string[] => faultsIn({ ...right, ...changes }, schema);
  expect(faults({ unit: 'hours' })).toHaveLength(1);
  expect(faults({ count: 1.5 })).toHaveLength(1);
  expect(faults({ min: { lower: 1, upper: 2 } })).toEqual(['$.min has no value']);
  expect(faults({ min: 1 })).toEqual(['$.min is not object']);
  expect(faults({ percentiles: { 50: 1 } })).toEqual(['$.percentiles is not array']);
  expect(faults({ percentiles: [{ value: 1, lower: 1, upper: 1 }] })).toHaveLength(1);
  expect(faultsIn({}, schema)).toHaveLength(7);
});

test('a document has an indent of two spaces', async () => {
  for (const args of [
    ['record', '--json'],
    ['advise', '--max', '1h', '--json'],
    ['log', 'summary', '-', '--json'],
    ['plot', '-', '--json'],
  ]) {
    const { stdout } = await hdrscope(args, { stdin: args[0] === 'record' ? '1\n' : LOG });
    expect(stdout).toMatch(/^\{\n {2}"/);
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), undefined, 2)}\n`);
  }
});
