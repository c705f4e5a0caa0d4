import { readFileSync } from 'node:fs';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { PROCESSOR_USAGE } from '@hdrscope/interval-log/internal';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

const text = logText([
  { at: 1, ms: evenly(100) },
  { tag: 'get', at: 1, ms: [5] },
  { at: 2, ms: evenly(100, 2) },
]);

function histogramOf(...values: number[]): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (const ms of values) histogram.record(ms * 1e6);
  return histogram;
}

const START_LINE = '#[StartTime: 1500000000.000 (seconds since epoch), ';

/** Without the line of the start, whose date depends on the zone of the computer. */
function distribution(printed: string): string {
  const [start = '', ...rest] = printed.split('\n');
  expect(start.startsWith(START_LINE)).toBe(true);
  return rest.join('\n');
}

test('process prints the distribution of a log', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'process'], { stdin: text });
  expect([exitCode, stderr]).toEqual([0, '']);
  const all = histogramOf(...evenly(100), ...evenly(100, 2));
  expect(distribution(stdout)).toBe(formatPercentiles(all, { valueScale: 1e6 }));
});

test("process takes the arguments of Java's tool, and no option of this program", async () => {
  const path = folder.write('a.hlog', text);
  const args = ['-i', path, '-tag', 'get', '-csv', '-outputValueUnitRatio', '1000'];
  const { exitCode, stdout } = await hdrscope(['log', 'process', ...args]);
  expect(exitCode).toBe(0);
  expect(distribution(stdout)).toBe(formatPercentiles(histogramOf(5), { valueScale: 1e3, format: 'csv' }));

  const output = folder.pathOf('out');
  expect(await hdrscope(['log', 'process', '-i', path, '-tag', 'get', '-o', output])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(`${output}.hgrm`, 'utf8')).toContain(
    formatPercentiles(histogramOf(5), { valueScale: 1e6 }),
  );
});

test('process prints its own help', async () => {
  expect(await hdrscope(['log', 'process', '-h'])).toEqual({
    exitCode: 0,
    stdout: PROCESSOR_USAGE,
    stderr: '',
  });
  expect((await hdrscope(['log', 'process', '--help'])).exitCode).toBe(0);
  expect((await hdrscope(['log', 'help', 'process'])).stdout).toBe(PROCESSOR_USAGE);
});

test.each([
  [['-unknown'], '-unknown'],
  [['-tag', 'none'], 'there is no interval with the tag "none"'],
])('process refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'process', ...args], { stdin: text });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('hdrscope log process: ');
  expect(stderr).toContain(message);
});
