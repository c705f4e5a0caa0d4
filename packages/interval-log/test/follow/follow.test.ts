import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { appendFile, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FollowMemory, type FollowNote, followLog, type LogEntry } from '@hdrscope/interval-log';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import { intervalLine } from '../operations/support/logs.ts';
import { newDirectory } from '../support/sandbox.ts';

let path: string;

beforeEach(() => {
  path = join(newDirectory(), 'service.hlog');
});

/** Follows the file, a step at a time. */
function follow(signal?: AbortSignal): { next(): Promise<string>; end(): Promise<unknown> } {
  const entries = followLog(path, { pollMs: 1, ...(signal && { signal }) });
  return {
    next: async () => {
      const { done, value } = await entries.next();
      return done ? 'done' : describeEntry(value);
    },
    end: () => entries.return(),
  };
}

function describeEntry(entry: LogEntry | FollowNote): string {
  return entry.kind === 'interval' ? `interval at ${entry.timestampSec}` : entry.kind;
}

const line = (at: number): string => intervalLine({ at, values: [at] });

test('reads existing lines, then added ones, each when it is whole', async () => {
  await writeFile(path, `#comment\n${line(1)}`);
  const followed = follow();
  expect([await followed.next(), await followed.next(), await followed.next()]).toEqual([
    'comment',
    'interval at 1',
    'caught-up',
  ]);
  const next = followed.next();
  await appendFile(path, line(2).slice(0, 20));
  expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 30, 'nothing yet'))])).toBe(
    'nothing yet',
  );
  await appendFile(path, line(2).slice(20));
  expect(await next).toBe('interval at 2');
  await followed.end();
});

test('waits for a file that does not exist yet', async () => {
  const followed = follow();
  expect(await followed.next()).toBe('missing');
  const next = followed.next();
  // Renamed, because a file is empty for a moment between making it and writing to it.
  await writeFile(`${path}.new`, line(1));
  await rename(`${path}.new`, path);
  expect(await next).toBe('interval at 1');
  await followed.end();
});

test('reads a truncated file from its start', async () => {
  await writeFile(path, line(1) + line(2).slice(0, 30));
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['interval at 1', 'caught-up']);
  const next = followed.next();
  await truncate(path, 0);
  // Half of line 2 is gone, and so is what nobody has seen.
  expect(await next).toBe('lost');
  expect(await followed.next()).toBe('truncated');
  await appendFile(path, line(3));
  expect(await followed.next()).toBe('interval at 3');
  await followed.end();
});

test('goes on after a line that a killed writer has torn and the next one has cut off', async () => {
  await writeFile(path, line(1) + line(2).slice(0, 30));
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['interval at 1', 'caught-up']);
  const next = followed.next();
  await truncate(path, line(1).length);
  await appendFile(path, line(3));
  expect(await next).toBe('interval at 3');
  const afterNext = followed.next();
  await appendFile(path, line(4));
  expect(await afterNext).toBe('interval at 4');
  await followed.end();
});

test('goes on in a compressed file whose torn line was cut off', async () => {
  await writeFile(path, line(1) + line(2).slice(0, 30));
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['interval at 1', 'caught-up']);
  // All of that between two looks.
  writeFileSync(`${path}.1.gz`, gzipSync(line(1) + line(3)));
  truncateSync(path, 0);
  appendFileSync(path, line(4));
  expect([await followed.next(), await followed.next(), await followed.next()]).toEqual([
    'interval at 3',
    'truncated',
    'interval at 4',
  ]);
  await followed.end();
});

test('goes on in a rotated file whose torn line was cut off', async () => {
  await writeFile(path, line(1) + line(2).slice(0, 30));
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['interval at 1', 'caught-up']);
  // All of that between two looks.
  truncateSync(path, line(1).length);
  appendFileSync(path, line(3));
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(4));
  expect([await followed.next(), await followed.next(), await followed.next()]).toEqual([
    'interval at 3',
    'replaced',
    'interval at 4',
  ]);
  await followed.end();
});

test('reads a rotated file to its end, and then its successor', async () => {
  await writeFile(path, line(1));
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['interval at 1', 'caught-up']);
  await rename(path, `${path}.1`);
  await appendFile(`${path}.1`, line(2).trimEnd()); // its writer died before the newline
  await writeFile(path, line(3));
  expect([await followed.next(), await followed.next(), await followed.next()]).toEqual([
    'interval at 2',
    'replaced',
    'interval at 3',
  ]);
  await followed.end();
});

const HEAD = '#[Histogram log format version 1.3]\n';

test('reads both files of two renames between two looks, when all begin alike and the newest has its head only', async () => {
  await writeFile(path, HEAD + line(1));
  const followed = follow();
  expect([await followed.next(), await followed.next(), await followed.next()]).toEqual([
    'comment',
    'interval at 1',
    'caught-up',
  ]);
  renameSync(path, `${path}.2`);
  writeFileSync(`${path}.1`, HEAD + line(2));
  writeFileSync(path, HEAD);
  const seen: string[] = [];
  for (let n = 0; n < 5; n++) seen.push(await followed.next());
  expect(seen).toEqual(['replaced', 'comment', 'interval at 2', 'replaced', 'comment']);
  await followed.end();
});

test('reads the copy of a file that has begun again with the only line that was read', async () => {
  await writeFile(path, HEAD);
  const followed = follow();
  expect([await followed.next(), await followed.next()]).toEqual(['comment', 'caught-up']);
  writeFileSync(`${path}.1`, HEAD + line(1));
  writeFileSync(path, HEAD + line(2));
  const seen = new Set<string>();
  for (let n = 0; n < 4; n++) seen.add(await followed.next());
  expect(seen).toEqual(new Set(['replaced', 'comment', 'interval at 1', 'interval at 2']));
  await followed.end();
});

test.each([
  ['most of its text', 0.9, ['replaced', 'interval at 2', 'interval at 3', 'lost: unreadable']],
  ['nothing', 0.01, ['lost: unreadable']],
])('says that lines are lost in a compressed file of which %s can be read', async (_, share, expected) => {
  await writeFile(path, line(1));
  const notes: string[] = [];
  const memory = new FollowMemory();
  const finish = new AbortController();
  finish.abort();
  const look = async () => {
    for await (const entry of followLog(path, { memory, finishSignal: finish.signal })) {
      notes.push(entry.kind === 'lost' ? `lost: ${entry.reason}` : describeEntry(entry));
    }
  };
  await look();
  await rename(path, `${path}.2`);
  const compressed = gzipSync(line(2) + line(3) + line(4), { level: 0 });
  await writeFile(`${path}.1.gz`, compressed.subarray(0, Math.ceil(compressed.length * share)));
  await writeFile(path, line(5));
  await look();
  expect(notes.slice(2)).toEqual([...expected, 'replaced', 'interval at 5', 'caught-up']);
});

const IO = '/proc/self/io';

testUnless(lackOfFile(IO))('a look at a large log, and a rotation, read a small part of it', async () => {
  const bytesRead = (): number => Number(/^rchar: (\d+)/.exec(readFileSync(IO, 'utf8'))![1]);
  await writeFile(path, `#${'x'.repeat(999)}\n`.repeat(20_000));
  const memory = new FollowMemory();
  const finish = new AbortController();
  finish.abort();
  let entries = 0;
  const look = async () => {
    for await (const _ of followLog(path, { memory, finishSignal: finish.signal })) entries++;
  };
  await look();
  const before = bytesRead();
  for (let n = 0; n < 20; n++) {
    await appendFile(path, line(n));
    await look();
  }
  await rename(path, `${path}.1`);
  await writeFile(path, line(20));
  await look();
  expect(entries).toBeGreaterThan(20_020);
  // 21 looks that read the log whole would read 420 MB.
  expect(bytesRead() - before).toBeLessThan(10_000_000);
});

test('ends when its signal aborts while it waits', async () => {
  await writeFile(path, line(1));
  const finish = new AbortController();
  const followed = follow(finish.signal);
  await followed.next();
  await followed.next();
  const next = followed.next();
  finish.abort();
  expect(await next).toBe('done');
});

test('reads every whole line before it ends in good order', async () => {
  await writeFile(path, line(1));
  const finish = new AbortController();
  const entries = followLog(path, { pollMs: 3_600_000, finishSignal: finish.signal });
  const next = async () => {
    const { done, value } = await entries.next();
    return done ? 'done' : describeEntry(value);
  };
  expect([await next(), await next()]).toEqual(['interval at 1', 'caught-up']);
  appendFileSync(path, line(2));
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(3) + line(4).slice(0, 30));
  finish.abort();
  expect([await next(), await next(), await next(), await next()]).toEqual([
    'interval at 2',
    'replaced',
    'interval at 3',
    'done',
  ]);
});

describe('a follower with the memory of an earlier one', () => {
  const memory = { current: new FollowMemory() };
  beforeEach(() => {
    memory.current = new FollowMemory();
  });

  /** What a follower reads until it has caught up. */
  async function look(): Promise<string[]> {
    const finish = new AbortController();
    finish.abort();
    const seen: string[] = [];
    const entries = followLog(path, { memory: memory.current, finishSignal: finish.signal });
    for await (const entry of entries) if (entry.kind !== 'caught-up') seen.push(describeEntry(entry));
    return seen;
  }

  test('reads what has come since', async () => {
    await writeFile(path, line(1) + line(2).slice(0, 30));
    expect(await look()).toEqual(['interval at 1']);
    await appendFile(path, line(2).slice(30) + line(3));
    expect(await look()).toEqual(['interval at 2', 'interval at 3']);
    expect(await look()).toEqual([]);
  });

  test('reads the rest of a log that was rotated, and the logs after it, once', async () => {
    await writeFile(path, line(1));
    expect(await look()).toEqual(['interval at 1']);
    await appendFile(path, line(2));
    await rename(path, `${path}.2`);
    // While the path leads to no file.
    expect(await look()).toEqual(['missing']);
    await writeFile(path, line(3));
    await utimes(path, 2e9, 2e9);
    await rename(path, `${path}.1`);
    await writeFile(path, line(4));
    expect(await look()).toEqual(['interval at 2', 'replaced', 'interval at 3', 'replaced', 'interval at 4']);
    await appendFile(path, line(5));
    expect(await look()).toEqual(['interval at 5']);
  });

  test('reports that the rest of a removed log is lost', async () => {
    await writeFile(path, line(1));
    await look();
    await writeFile(`${path}.new`, line(2));
    await rename(`${path}.new`, path);
    expect(await look()).toEqual(['lost', 'replaced', 'interval at 2']);
  });

  test('goes on where one was aborted within rotated files', async () => {
    await writeFile(path, line(1));
    await look();
    for (const at of [2, 3, 4]) {
      await appendFile(path, line(at));
      // The clock of the file system is coarse.
      await utimes(path, at, at);
      await rename(path, `${path}.${10 - at}`);
    }
    await writeFile(path, line(5));
    const seen: string[] = [];
    const aborting = new AbortController();
    for await (const entry of followLog(path, { memory: memory.current, signal: aborting.signal })) {
      seen.push(describeEntry(entry));
      if (seen.at(-1) === 'interval at 3') aborting.abort();
    }
    seen.push(...(await look()));
    expect(seen.filter((entry) => entry.startsWith('interval'))).toEqual([
      'interval at 2',
      'interval at 3',
      'interval at 4',
      'interval at 5',
    ]);
  });
});

test('refuses a compressed file and a wrong interval of polling', async () => {
  await writeFile(path, gzipSync(line(1)));
  await expect(follow().next()).rejects.toThrow(
    /^a followed log must be plain text, and .* is compressed: read it with readEntries$/,
  );
  await expect(followLog(path, { pollMs: 0 }).next()).rejects.toThrow(
    'pollMs must be a finite number above 0, got 0',
  );
});

test('a followed log may have any number of malformed lines, unless a limit is set', async () => {
  await writeFile(path, 'x\n'.repeat(20));
  const limited = followLog(path, { maxMalformed: 5 });
  for (let n = 0; n < 5; n++) expect((await limited.next()).value).toMatchObject({ kind: 'malformed' });
  await expect(limited.next()).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
});
