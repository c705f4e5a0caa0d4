import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Termination } from '../src/command.ts';
import { writeWhole } from '../src/output-options.ts';
import { hdrscope } from './support/fake-io.ts';
import { logText, useFolder } from './support/logs.ts';

const folder = useFolder();
const NEVER = new AbortController().signal;

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

test.each([0o600, 0o640, 0o666, 0o444])('a replaced file keeps its mode %#', async (mode) => {
  const path = folder.write(`mode-${mode}.txt`, 'old');
  chmodSync(path, mode);

  await writeWhole(['new'], path, NEVER);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(modeOf(path)).toBe(mode);
});

test('a new file has the mode that the umask leaves', async () => {
  const path = folder.pathOf('new.txt');
  await writeWhole(['new'], path, NEVER);
  expect(modeOf(path)).toBe(0o666 & ~process.umask());
});

test('the output of a private log over itself stays private', async () => {
  const path = folder.write('private.hlog', logText([{ at: 1, tag: 'get', ms: [1] }]));
  chmodSync(path, 0o600);

  expect(await hdrscope(['log', 'slice', '--tag', 'get', path, '-o', path])).toMatchObject({ exitCode: 0 });
  expect(modeOf(path)).toBe(0o600);
});

test('a symbolic link stays, and the file that it leads to is replaced', async () => {
  const target = folder.write('target.txt', 'old');
  chmodSync(target, 0o640);
  const link = folder.pathOf('link.txt');
  symlinkSync('target.txt', link);

  await writeWhole(['new'], link, NEVER);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(modeOf(target)).toBe(0o640);
});

test('a reader sees the old file until the new one is complete', async () => {
  const path = folder.write('whole.txt', 'old');
  const reader = await open(path);
  async function* parts(): AsyncGenerator<string, void> {
    yield 'new '.repeat(100_000);
    expect(readFileSync(path, 'utf8')).toBe('old');
    yield 'end';
  }

  await writeWhole(parts(), path, NEVER);
  expect(await reader.readFile('utf8')).toBe('old');
  await reader.close();
  expect(readFileSync(path, 'utf8')).toMatch(/^new .*end$/);
});

test('an unfinished file goes when the command ends early, and the old one stays', async () => {
  const path = folder.write('kept.txt', 'old');
  const ending = new AbortController();
  async function* parts(): AsyncGenerator<string, void> {
    yield 'new';
    ending.abort(new Termination('SIGTERM', 143));
    yield 'never';
  }

  await expect(writeWhole(parts(), path, ending.signal)).rejects.toThrow('SIGTERM');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder.pathOf('')).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test('a pipe gets the text, and is not replaced by a file', async () => {
  const path = folder.pathOf('pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  // Opened for both, so that neither side waits for the other.
  const reader = await open(path, 'r+');

  await writeWhole(['text'], path, NEVER);
  const { buffer, bytesRead } = await reader.read(Buffer.alloc(100));
  expect(buffer.toString('utf8', 0, bytesRead)).toBe('text');
  await reader.close();
  expect(lstatSync(path).isFIFO()).toBe(true);
});

test('a file that cannot be made is named as the person named it', async () => {
  mkdirSync(folder.pathOf('sub'));
  const missing = folder.pathOf('missing/x.txt');
  await expect(writeWhole(['x'], missing, NEVER)).rejects.toThrow(
    `cannot write ${missing}: there is no folder ${dirname(missing)}`,
  );
  await expect(writeWhole(['x'], folder.pathOf('sub'), NEVER)).rejects.toThrow(
    /^cannot write .*sub: it is a folder$/,
  );
});

test('config init --force keeps the mode of the configuration that it replaces', async () => {
  const path = folder.pathOf('mine.yaml');
  writeFileSync(path, 'old', { mode: 0o600 });

  expect(await hdrscope(['config', 'init', '--force', path])).toMatchObject({ exitCode: 0 });
  expect(modeOf(path)).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain('sources:');
});

// The format of a file.

test.each([
  ['json', /^\{\n/],
  ['md', /\| tag \|/],
  ['txt', /^tag/m],
  // A digit begins no ending, as in the names of rotated files.
  ['1', /^tag/m],
])('log summary writes what the ending says: .%s', async (ending, content) => {
  const log = folder.write('endings.hlog', logText([{ at: 1, ms: [1, 2] }]));
  const path = folder.pathOf(`summary.${ending}`);
  expect(await hdrscope(['log', 'summary', log, '-o', path])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(path, 'utf8')).toMatch(content);
});

test('log convert takes its format from the ending', async () => {
  const log = folder.write('convert.hlog', logText([{ at: 1, ms: [1, 2] }]));
  const firstLines: string[] = [];
  for (const ending of ['hlog', 'ndjson', 'csv', 'hgrm']) {
    const path = folder.pathOf(`converted.${ending}`);
    await hdrscope(['log', 'convert', log, '-o', path]);
    firstLines.push(readFileSync(path, 'utf8').split('\n')[0]!.trim().slice(0, 12));
  }
  expect(firstLines).toEqual(['#[StartTime:', '{"name":"(no', 'start_s,end_', 'Value     Pe']);
});

test.each(['csv', 'hgrm', 'hlog', 'svg', 'CSV', 'gz', 'out', 'constructor'])(
  'refuses the ending of a format that a command lacks: .%s',
  async (ending) => {
    const log = folder.write('whole.hlog', logText([{ at: 1, ms: [1, 2] }]));
    const path = folder.pathOf(`refused.${ending}`);
    const refused = await hdrscope(['log', 'summary', log, '-o', path]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('it writes text (.txt), markdown (.md), json (.json)'),
    ]);
    expect(existsSync(path)).toBe(false);
    // What is asked for comes before the ending.
    expect((await hdrscope(['log', 'summary', log, '-o', path, '--format', 'text'])).exitCode).toBe(0);
  },
);
