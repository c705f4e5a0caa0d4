import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rowsBetween, writeRows } from '@hdrscope/history';
import { createRegistry } from '@hdrscope/registry';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { faultsIn, readSchema, undescribedIn } from '../support/json-schema.ts';
import { useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();
const START = Date.UTC(2026, 2, 10, 14);
const traceOf = (n: number): string => n.toString(16).padStart(32, '0');

/** An hour of 1 ms, and an hour in which each tenth request of `/pay` takes longer, with a trace. */
let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  const clock = new FakeClock(START);
  const registry = createRegistry({ clock });
  const family = registry.histogram({ name: 'rpc', unit: 's' });
  let before = registry.emptySnapshot();
  for (const hour of [0, 1]) {
    for (let n = 1; n <= 2000; n++) {
      clock.advance(1000);
      const route = n % 2 === 0 ? '/pay' : '/cart';
      const isSlow = hour === 1 && n % 20 === 0;
      const value = isSlow ? n / 1000 : 0.001;
      const series = family.with({ route });
      series.record(value);
      const attributes = { trace_id: traceOf(n), span_id: n === 2000 ? '' : 'f'.repeat(16) };
      if (isSlow) series.offerExemplar({ value, timeMs: clock.nowMs(), attributes });
    }
    const snapshot = await registry.gather();
    const rows = [...rowsBetween(before, snapshot, { producer: `p ${hour}` })];
    await writeRows(join(history, 'day=2026-03-10', `${hour}.parquet`), rows);
    clock.advance(1_600_000);
    before = snapshot;
  }
});
afterAll(() => rmSync(history, { recursive: true, force: true }));

const RANGES = ['--before', '2026-03-10T14:00/30m', '--after', '2026-03-10T14:30/2h'];

test('query lists the largest values with their traces when it is asked to', async () => {
  const { stdout } = await hdrscope(['query', history, '--metric', 'rpc', '--traces', '2']);
  expect(stdout).toMatch(
    new RegExp(
      `The largest values with a trace, in ms\\n\\n +value +recorded +trace +span +attributes\\n *2,000.000 .* ${traceOf(2000)} +route=/pay\\n *1,\\d+.000 .*`,
    ),
  );
  expect(stdout.match(/route=\/pay/g)).toHaveLength(2);
  const without = await hdrscope(['query', history, '--metric', 'rpc']);
  expect(without.stdout).not.toContain('trace');
  expect(stdout.startsWith(without.stdout)).toBe(true);
});

test('explain lists those after the change', async () => {
  const { stdout } = await hdrscope(['explain', history, '--metric', 'rpc', '--percentile', '99', ...RANGES]);
  expect(stdout).toContain('route=/pay explains');
  expect(stdout).toContain(`${traceOf(2000)}`);
  const reversed = await hdrscope([
    ...['explain', history, '--metric', 'rpc', '--before', RANGES[3]!, '--after', RANGES[1]!],
  ]);
  expect(reversed.stdout).not.toContain('trace');
});

test('the documents of both have them, as their schemas say', async () => {
  for (const [name, args] of [
    ['query', ['--traces', '3']],
    ['explain', RANGES],
  ] as const) {
    const { stdout } = await hdrscope([name, history, '--metric', 'rpc', ...args, '--json']);
    const document = JSON.parse(stdout);
    expect(document.traces[0]).toEqual({
      value: 2000,
      unit: 'ms',
      timeSec: expect.any(Number),
      traceId: traceOf(2000),
      spanId: '',
      attributes: { route: '/pay' },
    });
    const schema = readSchema(`${name}.schema.json`);
    expect([faultsIn(document, schema), undescribedIn(document, schema)]).toEqual([[], []]);
  }
});

test.each([
  [['--traces', '0', '--metric', 'rpc'], '--traces'],
  [['--traces', '3', '--metric', 'rpc', ...RANGES], '--traces goes with percentiles, as text or json'],
])('%j is refused', async (args, message) => {
  const { stderr, exitCode: code } = await hdrscope(['query', history, ...args]);
  expect([stderr.includes(message), code]).toEqual([true, 2]);
});
