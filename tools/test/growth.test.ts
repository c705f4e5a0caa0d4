import { spawnSync } from 'node:child_process';
import { testUnless } from '@hdrscope/testing';
import { lackOfExpat, refusalsOfExpat } from '@hdrscope/testing/xml';
import { drawGrowth } from '../growth/draw.js';
import { CHANGED } from '../growth/facts.js';
import { workspaceRoot } from '../lib/workspace.js';

const measured = (['hdrscope', 'SDK explicit buckets'] as const).flatMap((subject) =>
  (['cumulative', 'delta'] as const).flatMap((temporality) =>
    [100, 1000, 1_000_000].map((series) => ({
      ...{ subject, series, readers: [temporality], bytes: 1 },
      // Shorter than a clock shows, and longer than the axis.
      costs: CHANGED.map((changed) => ({ changed, ms: 0, blockMs: 1e6 })),
    })),
  ),
);

test('the picture has a line of each subject, temporality and change in both figures', () => {
  const svg = drawGrowth(measured);
  const legend = 2 * CHANGED.length;
  expect(svg.match(/<path d="M[\d. L]+" fill="none"/g)).toHaveLength(2 * 2 * 2 * CHANGED.length);
  expect(svg.match(/fill="none"/g)).toHaveLength(2 * 2 * 2 * CHANGED.length + legend);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});

testUnless(lackOfExpat())('the picture is XML', () => {
  expect(refusalsOfExpat([drawGrowth(measured)])).toBe('');
});

test('a step has the memory of a series and a time and a block for each change', () => {
  // What else the process keeps or gives back, some hundred kilobytes, is more than a hundred series take.
  const args = [
    ...['--expose-gc', '--conditions=@hdrscope/source', '--import', './tools/lib/sources.js'],
    ...['tools/growth/step.js', JSON.stringify({ subject: 'hdrscope', series: 1000, readers: ['delta'] })],
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: workspaceRoot, encoding: 'utf8' });
  expect(stderr).toBe('');
  const { bytes, costs } = JSON.parse(stdout);
  expect(bytes).toBeGreaterThan(500);
  expect(costs.map(({ changed }: { changed: string }) => changed)).toEqual([...CHANGED]);
  for (const { ms, blockMs } of costs) expect([ms > 0, blockMs > 0]).toEqual([true, true]);
});
