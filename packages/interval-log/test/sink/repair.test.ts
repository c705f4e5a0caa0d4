import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { formatInterval } from '../../src/index.ts';
import { repairLog } from '../../src/sink/log-file.ts';
import { newDirectory } from '../support/sandbox.ts';

const histogram = new Histogram({ highestTrackableValue: 1e9 });
for (let n = 0; n < 12; n++) histogram.record(n * n);
const LINE = formatInterval(histogram, { tag: 'x', startSec: 0, endSec: 1 });
const HEADER = '#[Histogram log format version 1.3]\n#[StartTime: 1.000 (seconds since epoch)]\n';
const LOG = HEADER + LINE + LINE;

async function repaired(content: string | Uint8Array): Promise<string> {
  const path = join(newDirectory(), 'app.hlog');
  writeFileSync(path, content);
  const handle = await open(path, 'a+');
  try {
    const size = await repairLog(handle, path);
    const bytes = readFileSync(path);
    expect(size).toBe(bytes.length);
    return bytes.toString('latin1');
  } finally {
    await handle.close();
  }
}

test.each([
  ['a whole log stays as it is', LOG, LOG],
  ['an empty file stays empty', '', ''],
  ['NULs at the end are cut off', `${LOG}${'\0'.repeat(100_000)}`, LOG],
  ['a torn comment is cut off', `${LOG}#[StartTime: 14`, LOG],
  ['a torn line and NULs are cut off', `${LOG}Tag=x,1.0,HIST\0\0`, LOG],
  ['an interval that lacks its newline gets it', LOG.slice(0, -1), LOG],
  ['an interval that lacks its newline, then NULs', `${LOG.slice(0, -1)}\0\0\0`, LOG],
  ['empty lines are a log', '\n\n\n', '\n\n\n'],
  ['a torn header is cut off', HEADER.slice(0, 20), ''],
  ['a new file of NULs is emptied', '\0'.repeat(5000), ''],
  ['a log without a header stays as it is', LINE, LINE],
  ['a whole line with NULs in it stays as it is', `${LOG}\0\0Tag=x,1\n`, `${LOG}\0\0Tag=x,1\n`],
  [
    'a torn line in a log of another writer is cut off',
    `#[jHiccup]\n# hi\n${LOG}torn`,
    `#[jHiccup]\n# hi\n${LOG}`,
  ],
])('%s', async (_, before, after) => {
  expect(await repaired(before)).toBe(after);
});

test('a log torn at any position keeps its whole lines and no other bytes', async () => {
  const log = HEADER + LINE;
  for (let length = 0; length < log.length - 1; length++) {
    const torn = log.slice(0, length);
    const whole = torn.slice(0, torn.lastIndexOf('\n') + 1);
    expect(await repaired(torn)).toBe(whole);
  }
});

test('a torn line longer than one chunk is cut off', async () => {
  expect(await repaired(`${LOG}Tag=x,1.0,${'A'.repeat(300_000)}`)).toBe(LOG);
});

test.each([
  ['a shell script', '#!/bin/sh\necho hi\n'],
  ['comments alone', '# one\n# two\n'],
  ['a text without a line', 'Dear diary'],
  ['a table', '"a","b"\n1,2\n'],
  ['four columns', '1.0,2.0,3.0,word\n'],
  ['bytes', Uint8Array.from({ length: 1000 }, (_, n) => n % 256)],
  ['a compressed log', Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0])],
  ['many NULs', new Uint8Array(2 ** 21)],
])('%s is refused by an error that names the file, and is unchanged', async (_, content) => {
  const path = join(newDirectory(), 'precious');
  writeFileSync(path, content);
  const before = readFileSync(path);
  const handle = await open(path, 'a+');
  await expect(repairLog(handle, path)).rejects.toMatchObject({
    code: 'ERR_LOG_WRITE',
    message: expect.stringContaining(path),
  });
  await handle.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file is repaired alike when each read brings a few bytes only', async () => {
  const path = join(newDirectory(), 'app.hlog');
  writeFileSync(path, `${LOG}${LINE.slice(0, 40)}`);
  const handle = await open(path, 'a+');
  const slow = new Proxy(handle, {
    get: (target, name) =>
      name === 'read'
        ? (into: Uint8Array, offset: number, length: number, position: number) =>
            target.read(into, offset, Math.min(length, 7), position)
        : (target[name as keyof typeof target] as () => unknown).bind(target),
  });
  try {
    expect(await repairLog(slow, path)).toBe(LOG.length);
    expect(readFileSync(path, 'latin1')).toBe(LOG);
  } finally {
    await handle.close();
  }
});
