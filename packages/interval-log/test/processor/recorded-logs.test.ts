import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless, lackOfShared, sharedPath } from '@hdrscope/testing';
import { runInMemory } from './support.ts';

// Logs of jHiccup, and the output of the newest HdrHistogram for them.
const [logs, goldens] = [sharedPath('data/hlog'), sharedPath('data/java-golden')];

const WINDOW = ['-mwp', '99.9', '-mwpl', '5000'];
const NAMES = ['jHiccup-2.0.7S.logV2', 'jHiccup-2.0.1.logV0', 'tagged-Log.logV2'];

const RUNS: readonly (readonly [output: string, log: string, args: readonly string[]])[] = [
  ...NAMES.map((name) => [`${name}.out`, name, WINDOW] as const),
  ...NAMES.map((name) => [`${name}.csv.out`, name, ['-csv', ...WINDOW]] as const),
  ['tagA', 'tagged-Log.logV2', ['-tag', 'A']],
  ['v2.start5.end20', 'jHiccup-2.0.7S.logV2', ['-start', '5', '-end', '20']],
];

describeUnless(lackOfShared('data/hlog'), lackOfShared('data/java-golden'))('recorded logs', () => {
  test.each(RUNS)('prints what Java prints: %s', async (output, log, args) => {
    const { exitCode, files } = await runInMemory(['-i', join(logs, `${log}.hlog`), '-o', output, ...args]);

    expect(exitCode).toBe(0);
    for (const [name, text] of Object.entries(files)) {
      expect([name, text]).toEqual([name, readFileSync(join(goldens, name), 'utf8')]);
    }
    expect(Object.keys(files)).toHaveLength(args.includes('-mwp') ? 3 : 2);
  });

  test('lists the tags as Java does', async () => {
    const { stdout } = await runInMemory(['-i', join(logs, 'tagged-Log.logV2.hlog'), '-listtags']);
    expect(stdout).toBe(readFileSync(join(goldens, 'tagged.listtags.txt'), 'utf8'));
  });
});
