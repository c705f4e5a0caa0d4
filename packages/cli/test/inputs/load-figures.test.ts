import { autocannonLine, k6Points, k6Table, ohaTable } from '@hdrscope/testing/load-samples';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { evenly, useFolder } from '../support/logs.ts';

// Commands that compare take the requests of load generators as recorded figures, which have a unit of their own.
const folder = useFolder();
const requests = evenly(200).map((ms) => ({ ms }));
const figures = async (args: readonly string[]): Promise<{ before: Run; after: Run }> => {
  const { stdout, stderr } = await hdrscope(['diff', '--percentiles', '50', '--json', ...args]);
  expect(stderr).toBe('');
  const { before, after } = parseValues(stdout);
  return { before: before.runs[0], after: after.runs[0] };
};

interface Run {
  readonly unit: string;
  readonly count: number;
  readonly percentiles: readonly { readonly value: number }[];
}

test.each([
  ['k6.json', k6Points(requests)],
  ['k6.csv', k6Table(requests)],
  ['oha.csv', ohaTable(requests)],
])('diff compares %s with numbers, in milliseconds', async (name, text) => {
  const numbers = folder.write('numbers.txt', requests.map(({ ms }) => `${ms.toFixed(1)}ms\n`).join(''));
  const { before, after } = await figures([folder.write(name, text), numbers]);
  expect(before).toEqual({ ...after, name: folder.pathOf(name) });
  expect([before.unit, before.count]).toEqual(['ms', 200]);
});

test('a unit of the command line does not change that of a load generator', async () => {
  const path = folder.write('k6.json', k6Points(requests));
  const { before } = await figures([path, path, '--unit', 's']);
  expect(before.percentiles[0]!.value).toBeCloseTo(100, 0);
});

test('diff reads the requests from standard input', async () => {
  const path = folder.write('k6.json', k6Points(requests));
  const args = ['diff', '-', path, '--percentiles', '50'];
  expect(await hdrscope(args, { stdin: k6Table(requests) })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('diff refuses malformed requests and summaries with a reason', async () => {
  const path = folder.write('k6.json', k6Points(requests));
  const cut = folder.write('cut.json', `${k6Points(requests)}{"metric":"http_req_duration",`);
  const malformed = await hdrscope(['diff', path, cut]);
  expect([malformed.exitCode, malformed.stdout]).toEqual([1, '']);
  expect(malformed.stderr).toContain(`${cut} has malformed lines`);
  const summary = folder.write('cannon.json', autocannonLine({ p50: 4, totalCount: 100 }));
  const refused = await hdrscope(['diff', path, summary]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('is a summary of autocannon, which has a few percentiles');
});

test('plot draws a curve of the requests', async () => {
  const path = folder.write('k6.json', k6Points(requests));
  const { exitCode, stdout, stderr } = await hdrscope(['plot', path, '--height', '5']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('k6.json  200 values  max 200 ms');
});

test('commands for logs refuse the requests, and name the commands that take them', async () => {
  const path = folder.write('k6.json', k6Points(requests));
  const { exitCode, stderr } = await hdrscope(['log', 'summary', path]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('hdrscope record, check, diff and plot take it'),
  ]);
});
