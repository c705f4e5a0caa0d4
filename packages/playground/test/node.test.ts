import { createHash as createNodeHash } from 'node:crypto';
import { posix } from 'node:path';
import * as nodeZlib from 'node:zlib';
import fc from 'fast-check';
import { fillDisk, takeWritten } from '../browser/disk.ts';
import { createHash, randomUUID } from '../browser/node/crypto.ts';
import { EventEmitter } from '../browser/node/events.ts';
import { createReadStream } from '../browser/node/fs.ts';
import { open, stat } from '../browser/node/fs-promises.ts';
import { replaceFile } from '../browser/node/kit-files.ts';
import { basename, dirname, extname, join } from '../browser/node/path.ts';
import { crc32, gunzipSync } from '../browser/node/zlib.ts';

const NAMES = fc.stringMatching(/^[a-z. ]{1,8}$/);

test('names of files have the parts that Node.js finds in them', () => {
  fc.assert(
    fc.property(NAMES, NAMES, (folder, name) => {
      for (const path of [name, `${folder}/${name}`]) {
        expect(basename(path)).toBe(posix.basename(path));
        expect(dirname(path)).toBe(posix.dirname(path));
        expect(basename(path, '.txt')).toBe(posix.basename(path, '.txt'));
      }
    }),
  );
  for (const name of ['a.hlog', 'a.tar.gz', '.profile', 'a', 'a.'])
    expect(extname(name)).toBe(posix.extname(name));
  expect(join('a', '', 'b')).toBe('a/b');
});

test('hashes are those of Node.js, and random names differ', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(createHash('sha256').update(text).digest('hex')).toBe(
        createNodeHash('sha256').update(text).digest('hex'),
      );
    }),
  );
  expect(randomUUID()).not.toBe(randomUUID());
});

test('listeners hear the events of their name alone', () => {
  const heard: unknown[] = [];
  const emitter = new EventEmitter().on('a', (value) => heard.push(value));
  expect([emitter.emit('a', 1), emitter.emit('b', 2)]).toEqual([true, false]);
  expect(heard).toEqual([1]);
  expect([emitter.listenerCount('a'), emitter.listenerCount('b')]).toEqual([1, 0]);
});

test('reads dropped files, counts what is read, and keeps what a command writes', async () => {
  let read = 0;
  fillDisk(new Map([['a.txt', new Blob(['12\n13\n'])]]), (bytes) => {
    read += bytes;
  });
  let text = '';
  for await (const chunk of createReadStream('a.txt')) text += new TextDecoder().decode(chunk);
  expect([text, read, (await stat('a.txt')).size]).toEqual(['12\n13\n', 6, 6]);
  await replaceFile(['x', Uint8Array.of(0x79)], 'b.txt', new AbortController().signal);
  expect(await takeWritten('b.txt')?.text()).toBe('xy');
});

test('a file that is not there has the error of Node.js', async () => {
  fillDisk(new Map(), () => {});
  await expect(stat('c.txt')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'stat' });
  await expect(createReadStream('c.txt').next()).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
});

test('reads a file at places, and knows the folders of files', async () => {
  fillDisk(new Map([['history/a.parquet', new Blob(['0123456789'])]]), () => {});
  expect((await stat('history')).isDirectory()).toBe(true);
  const file = await open('history/a.parquet', 'r');
  const bytes = new Uint8Array(4);
  expect([(await file.stat()).size, (await file.read(bytes, 1, 3, 8)).bytesRead]).toEqual([10, 2]);
  expect([...bytes]).toEqual([0, 0x38, 0x39, 0]);
});

test('checks and inflates bytes as zlib does, up to a limit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40_000 }), (bytes) => {
      expect(crc32(bytes.subarray(5), crc32(bytes.subarray(0, 5)))).toBe(nodeZlib.crc32(bytes));
      const zipped = nodeZlib.gzipSync(bytes);
      expect(Buffer.compare(gunzipSync(zipped, { maxOutputLength: bytes.length }), bytes)).toBe(0);
      if (bytes.length > 0)
        expect(() => gunzipSync(zipped, { maxOutputLength: bytes.length - 1 })).toThrow(RangeError);
    }),
    { numRuns: 30 },
  );
});
