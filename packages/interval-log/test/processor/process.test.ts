import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { createProcessorFiles } from '../../src/processor/files.ts';
import type { OutputFile, ProcessorFiles } from '../../src/processor/io.ts';
import { processLog } from '../../src/processor/process.ts';
import { formatInterval } from '../../src/writer/format.ts';
import { bytes } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';
import { runInMemory } from './support.ts';

function line(
  startSec: number,
  { tag, isDouble = false }: { tag?: string; isDouble?: boolean } = {},
): string {
  const histogram = isDouble ? new DoubleHistogram() : new Histogram({ highestTrackableValue: 1_000_000 });
  histogram.record(1000);
  return formatInterval(histogram, { tag, startSec, endSec: startSec + 1 });
}

function rowsOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((row) => /^[\d.]+: I:/.test(row));
}

test('a malformed line ends the run: the lines above it are counted, and the error names the line', async () => {
  const logs = { log: `#head\n${line(1)}${line(2)}3.0,1.0,oops,HISTFAAA\n${line(4)}` };
  const { exitCode, stderr, files } = await runInMemory(['-i', 'log', '-o', 'out'], { logs });

  expect(exitCode).toBe(1);
  expect(stderr).toBe('hdrscope log process: line 4: the interval maximum must be a number, got "oops"\n');
  expect(rowsOf(files.out)).toHaveLength(2);
  expect(files['out.hgrm']).toMatch(/Total count {4}= {12}2\]/);
});

test('a histogram that cannot be decoded is a malformed line', async () => {
  const logs = { log: `${line(1)}2.0,1.0,0.1,HISTFAAABB\n` };
  const { exitCode, stderr, stdout } = await runInMemory(['-i', 'log'], { logs });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^hdrscope log process: line 2: /);
  expect(stdout).toContain('Total count    =            1]');
});

test('-v prints the stack and the cause of an error', async () => {
  const { stderr } = await runInMemory(['-i', 'log', '-v'], { logs: { log: '1.0,1.0,0.1,HISTFAAABB\n' } });
  expect(stderr).toMatch(/line 1: [\s\S]*\n {4}at [\s\S]*\ncaused by /);
});

test('integers among doubles are refused', async () => {
  const logs = { log: line(1, { isDouble: true }) + line(2) };
  const { exitCode, stderr } = await runInMemory(['-i', 'log'], { logs });

  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'hdrscope log process: line 2: a histogram of integers cannot be added to the histograms of doubles above it\n',
  );
});

test.each([
  [
    'an empty log',
    '',
    [],
    'there is no interval without a tag from 0 s after the start of the log to its end: the log has no intervals\n',
  ],
  [
    'a log of other tags',
    line(1, { tag: 'A' }),
    ['-tag', 'B', '-end', '5'],
    'there is no interval with the tag "B" from 0 s after the start of the log to 5 s: -listtags lists the tags\n',
  ],
  [
    'a log whose intervals start before it',
    `#[StartTime: 100 (seconds since epoch)]\n${[40, 41.25, 99].map((sec) => line(sec)).join('')}`,
    [],
    'there is no interval without a tag from 0 s after the start of the log to its end: ' +
      'intervals without a tag start from -60 s to -1 s relative to that start, so choose their range with -start and -end\n',
  ],
  [
    'a log whose intervals start after the range',
    `#[StartTime: 100 (seconds since epoch)]\n${line(110, { tag: 'A' })}`,
    ['-tag', 'A', '-end', '5'],
    'intervals with the tag "A" start from 10 s to 10 s relative to that start, so choose their range with -start and -end\n',
  ],
])('%s has no interval to process, and the error states the reason', async (_, log, args, message) => {
  const { exitCode, stdout, stderr } = await runInMemory(['-i', 'log', ...args], { logs: { log } });

  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

test('an empty log has an empty list of tags', async () => {
  const ran = await runInMemory(['-i', 'log', '-listtags'], { logs: { log: '' } });
  expect(ran).toMatchObject({ exitCode: 0, stdout: 'Tags found in input file:\n' });
});

test('reading ends at the first interval of any tag beyond the end', async () => {
  const logs = { log: line(1) + line(20, { tag: 'A' }) + line(2) };
  const { files } = await runInMemory(['-i', 'log', '-end', '5', '-o', 'out'], { logs });
  expect(rowsOf(files.out)).toHaveLength(1);
});

test('intervals at both ends of the range are in it', async () => {
  const logs = { log: [10, 11, 12, 13].map((sec) => line(sec)).join('') };
  const { files } = await runInMemory(['-i', 'log', '-start', '1', '-end', '2', '-o', 'out'], { logs });
  expect(rowsOf(files.out).map((row) => row.split(':')[0])).toEqual(['2.000', '3.000']);
});

describe('files', () => {
  let folder: string;
  const output = { write: () => {} };

  beforeEach(() => {
    folder = newDirectory();
  });

  function run(
    inputPath: string,
    outputPath: string,
    files: ProcessorFiles = createProcessorFiles(),
  ): Promise<void> {
    return processLog({ inputPath, outputPath }, { stdin: bytes(''), stdout: output, stderr: output, files });
  }

  test('the log itself is never overwritten', async () => {
    const log = join(folder, 'log');
    writeFileSync(log, line(1));

    await expect(run(log, join(folder, '.', 'log'))).rejects.toThrow('it would be overwritten');
    expect(readFileSync(log, 'utf8')).toBe(line(1));
  });

  test('no output is made if the log cannot be opened', async () => {
    const out = join(folder, 'out');

    await expect(run(join(folder, 'log'), out)).rejects.toThrow('ENOENT');
    await expect(run(folder, out)).rejects.toThrow('must be a log, and is a directory');
    expect(existsSync(out)).toBe(false);
  });

  test('a signal ends the run, and the files have the intervals read before', async () => {
    const log = join(folder, 'log');
    // More than is read at one time.
    const intervals = 20_000;
    writeFileSync(log, line(1).repeat(intervals));
    const out = join(folder, 'out');
    const controller = new AbortController();
    const files = createProcessorFiles({ signal: controller.signal });
    const create = async (path: string): Promise<OutputFile> => {
      const file = await files.create(path);
      return {
        write: (text) => {
          controller.abort();
          return file.write(text);
        },
        close: () => file.close(),
      };
    };

    await expect(run(log, out, { ...files, create })).rejects.toThrow('aborted');
    const rows = rowsOf(readFileSync(out, 'utf8')).length;
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThan(intervals);
    expect(readdirSync(folder).sort()).toEqual(['log', 'out', 'out.hgrm']);
  });
});

test('a log of 10 000 intervals is processed as a stream', async () => {
  const chunk = bytes(line(1).repeat(1000));
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 10; i++) yield chunk;
  }
  const { stdout } = await runInMemory([], { stdin: source() });
  expect(stdout).toContain('Total count    =        10000]');
});

test('fields after the histogram are ignored, as in Java', async () => {
  const encoded = 'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe';
  const logs = {
    four: `1.0,1.0,2.0,${encoded}\n2.0,1.0,2.0,${encoded}\n`,
    more: `1.0,1.0,2.0,${encoded},more,and more\n2.0,1.0,2.0,${encoded} x\n`,
  };
  const { files: expected } = await runInMemory(['-i', 'four', '-o', 'out'], { logs });
  const { exitCode, files } = await runInMemory(['-i', 'more', '-o', 'out'], { logs });
  expect(exitCode).toBe(0);
  expect(files).toEqual(expected);
  // Source: Java, HdrHistogram 2.1.11, for the log with more fields.
  expect(rowsOf(files.out)).toEqual([
    '1.000: I:1 (   0.000   0.000   0.000 ) T:1 (   0.000   0.000   0.000   0.000   0.000   0.000 )',
    '2.000: I:1 (   0.000   0.000   0.000 ) T:2 (   0.000   0.000   0.000   0.000   0.000   0.000 )',
  ]);
});
