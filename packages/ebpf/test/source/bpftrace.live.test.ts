import { spawnSync } from 'node:child_process';
import { type Lack, lack, lackOfProgram, testUnless } from '@hdrscope/testing';
import { bpftrace } from '../../src/index.ts';
import { eventually } from '../support/fake-program.ts';

function lackOfBpftrace(): Lack | undefined {
  const missing = lackOfProgram('bpftrace');
  if (missing !== undefined) return missing;
  const { status, stderr } = spawnSync('bpftrace', ['-e', 'BEGIN { exit(); }'], { encoding: 'utf8' });
  return lack('kernel', status === 0 ? undefined : `bpftrace does not run here: ${stderr.trim()}`);
}

testUnless(lackOfBpftrace())('a script that prints nothing', async () => {
  const script = `
      BEGIN { @once = hist(300); @once = hist(1); @steps = lhist(97, 5, 100, 9); @steps = lhist(50, 5, 100, 9); }
      interval:ms:10 { @ticks[comm, cpu] = hist(7); }`;
  const source = bpftrace({ script, printEveryMs: 250, keys: { '@ticks': ['comm', 'cpu'] } });
  try {
    const frame = await eventually(
      () => source.read(),
      ({ histograms }) => histograms.length >= 3,
    );
    const named = (name: string) => frame.histograms.find((histogram) => histogram.name === name)!;
    const filled = (name: string): object[] => {
      const { layout, counts } = named(name);
      return [...counts.entries()]
        .filter(([, count]) => count > 0)
        .map(([slot, count]) => [layout.slots.lower(slot), layout.slots.upper(slot), count]);
    };
    expect(filled('@once')).toEqual([
      [1, 1, 1],
      [256, 511, 1],
    ]);
    expect(filled('@steps')).toEqual([
      [50, 58, 1],
      [95, Number.POSITIVE_INFINITY, 1],
    ]);
    expect(Object.keys(named('@ticks').attributes)).toEqual(['comm', 'cpu']);
    expect(frame.generation).toBe('1.0');
  } finally {
    await source.close();
  }
});
