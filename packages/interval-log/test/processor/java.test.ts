import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from './support.ts';

/** The output of HdrHistogram's `HistogramLogProcessor`: see `tools/goldens/processor.js`. */
interface Run {
  readonly log: string;
  readonly args: readonly string[];
  /** The lines of standard output or of the files, by the suffix of the file's name. */
  readonly printed: Readonly<Record<string, readonly string[]>>;
}

const fixtures = join(import.meta.dirname, 'fixtures');
const { runs }: { runs: Run[] } = JSON.parse(readFileSync(join(fixtures, 'processor.json'), 'utf8'));

test.each(runs.map((run) => [`${run.log} ${run.args.join(' ')}`, run] as const))(
  'prints what Java prints: %s',
  async (_, { log, args, printed: { stdout, ...files } }) => {
    const logArgs = ['-i', join(fixtures, `${log}.hlog`), ...args];
    if (stdout !== undefined) {
      const ran = await runInMemory(logArgs);
      expect(ran).toMatchObject({ exitCode: 0, stdout: stdout.join('\n') });
      return;
    }
    const ran = await runInMemory([...logArgs, '-o', 'out']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
    const expected = Object.entries(files).map(([ending, lines]) => [`out${ending}`, lines.join('\n')]);
    expect(ran.files).toEqual(Object.fromEntries(expected));
  },
);

test('prints only the distribution if there is no output file, without its range', async () => {
  const args = ['-i', join(fixtures, 'hiccups.hlog'), '-mwp', '50'];
  const { stdout, files } = await runInMemory(args);
  const { files: written } = await runInMemory([...args, '-o', 'out']);

  expect(files).toEqual({});
  expect(
    `#[Overall percentile distribution between 0.000 and <Infinite> seconds (relative to StartTime)]\n${stdout}`,
  ).toBe(written['out.hgrm']);
});

test('reads standard input if there is no input file', async () => {
  const path = join(fixtures, 'tags.hlog');
  const read = await runInMemory(['-csv'], { stdin: readFileSync(path) });
  expect(read).toEqual(await runInMemory(['-csv', '-i', path]));
});
