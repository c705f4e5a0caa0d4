import { readFileSync } from 'node:fs';
import * as core from '../src/index.ts';
import { JointHistogram } from '../src/joint.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const rows = [...readme.matchAll(/^\|(?<what>[^|]*)\| `(?<call>[^`]+)` \|$/gm)].map(({ groups }) => groups!);

/** The names that the calls of the table use. */
function names(): Record<string, unknown> {
  const h = new core.Histogram({ highestTrackableValue: 2n ** 63n - 1n });
  const other = new core.Histogram({ highestTrackableValue: 2n ** 63n - 1n });
  const d = new core.DoubleHistogram();
  const e = new core.LayoutHistogram(core.explicitLayout([10, 100, 1000]));
  const j = new JointHistogram([
    { name: 'duration', layout: core.linearLayout({ width: 10, slots: 200 }) },
    { name: 'size', layout: core.explicitLayout([4096]) },
  ]);
  for (const value of [1100, 1250, 1300]) {
    h.record(value, 10);
    other.record(value, 2);
    d.record(value / 1000);
    e.record(value / 10);
    j.record(value, 4 * value);
  }
  return {
    ...core,
    JointHistogram,
    h,
    other,
    d,
    e,
    j,
    r: new core.Recorder(h),
    text: core.formatPercentiles(h),
  };
}

test('the table of capabilities is there', () => {
  expect(rows.length).toBeGreaterThan(45);
});

test('names everything that the package exports', () => {
  const unnamed = Object.keys(core).filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
  expect(unnamed).toEqual([]);
});

test.each(rows.map(({ what, call }) => [call!, what!.trim()]))('%s works as the README says', (call) => {
  const known = names();
  const result: unknown = new Function(...Object.keys(known), `return (${call});`)(...Object.values(known));
  // A call with several results must have all of them.
  for (const one of Array.isArray(result) ? result : []) expect(one).toBeDefined();
});
