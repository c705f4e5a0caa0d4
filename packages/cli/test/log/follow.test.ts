import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { Termination } from '../../src/command.ts';
import { hdrscope, type Ran } from '../support/fake-io.ts';
import { intervalLine, useFolder } from '../support/logs.ts';

const folder = useFolder();
const WITHIN = 'several texts of a program come at once';
const line = (at: number): string => intervalLine({ at, ms: [at] });

/** Follows a log, does the next step after each printed row, and ends after the last step. */
async function follow(
  path: string,
  steps: readonly (() => void)[],
  onNote: () => void = () => {},
): Promise<Ran> {
  const left = [...steps];
  let isFirst = true;
  return hdrscope(['log', 'tail', '-f', '--poll', '1ms', '--percentiles', '50', path], {
    onOutput: (text, end) => {
      if (isFirst && text.startsWith('start')) isFirst = false;
      else if (left.length === 0) end(new Termination('SIGINT', 130));
      else left.shift()!();
    },
    onNote,
    within: WITHIN,
  });
}

function startsOf({ stdout }: Ran): string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split(' ')[0]!);
}

test('tail -f prints new intervals, and reports what happens to the file', async () => {
  const path = folder.write('service.hlog', line(1));
  const ran = await follow(path, [
    () => appendFileSync(path, line(2)),
    () => {
      renameSync(path, `${path}.1`);
      writeFileSync(path, line(3) + line(4));
    },
    () => {},
    () => {
      truncateSync(path, 0);
      appendFileSync(path, line(5));
    },
  ]);
  expect(startsOf(ran)).toEqual(['1.000', '2.000', '3.000', '4.000', '5.000']);
  // Nobody has kept the lines before the truncation.
  expect(ran.stderr).toBe(
    `hdrscope: ${path} is another file now: reading it from its start\n` +
      `hdrscope: ${path} was truncated, and no rotated file has the lines before: some may be lost\n` +
      `hdrscope: ${path} was truncated: reading it from its start\n`,
  );
  expect(ran.exitCode).toBe(130);
});

test('tail --json prints the last intervals as convert --format ndjson does', async () => {
  const path = folder.write('json.hlog', [1, 2, 3].map(line).join(''));
  const all = await hdrscope(['log', 'convert', '--format', 'ndjson', path]);
  const last = await hdrscope(['log', 'tail', '--json', '-n', '2', path]);
  expect(last).toEqual({
    ...all,
    stdout: all.stdout
      .split(/(?<=\n)/)
      .slice(1)
      .join(''),
  });
  expect(JSON.parse(last.stdout.split('\n')[1]!)).toMatchObject({ startSec: 3, count: 1 });
});

test('tail -f waits for a file that does not exist yet', async () => {
  const path = folder.pathOf('later.hlog');
  const ran = await follow(path, [], () => writeFileSync(path, line(1)));
  expect(startsOf(ran)).toEqual(['1.000']);
  expect(ran.stderr).toBe(`hdrscope: ${path} does not exist yet: waiting for it\n`);
});
