import { closeSync, createReadStream, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import type { LogSource } from '../../src/reader/input.ts';
import { readEntries } from '../../src/reader/read.ts';
import { logOf } from '../support/logs.ts';
import { brief, bytes, entriesOf, inChunks, read } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';

const LOG = logOf(6);
const BYTES = bytes(LOG);
const EXPECTED = entriesOf(LOG).map(brief);

async function briefs(source: LogSource): Promise<string[]> {
  return (await read(source)).map(brief);
}

const folder = newDirectory();
const path = join(folder, 'log.hlog');
writeFileSync(path, BYTES);

describe('reads', () => {
  test.each<[string, () => LogSource]>([
    ['the path of a file', () => path],
    ['the URL of a file', () => pathToFileURL(path)],
    ['bytes', () => BYTES],
    ['a Buffer', () => Buffer.from(BYTES)],
    ['a stream of Node.js', () => createReadStream(path, { highWaterMark: 100 })],
    [
      'a stream of the web',
      () => Readable.toWeb(Readable.from(inChunks(BYTES, 100))) as ReadableStream<Uint8Array>,
    ],
    ['a list of chunks', () => inChunks(BYTES, 100)],
    ['a list with empty chunks', () => inChunks(BYTES, 50).flatMap((chunk) => [new Uint8Array(0), chunk])],
    ['text with a byte order mark', () => bytes(`\uFEFF${LOG}`)],
    ['UTF-16, little end first, with a mark', () => Buffer.from(`\uFEFF${LOG}`, 'utf16le')],
    ['UTF-16, little end first, without a mark', () => Buffer.from(LOG, 'utf16le')],
    ['UTF-16, big end first, with a mark', () => Buffer.from(`\uFEFF${LOG}`, 'utf16le').swap16()],
    ['UTF-16, big end first, without a mark', () => Buffer.from(LOG, 'utf16le').swap16()],
    ['gzip', () => gzipSync(BYTES)],
    ['gzip with zeros behind it', () => Buffer.concat([gzipSync(BYTES), new Uint8Array(100)])],
    [
      'gzip of several members, cut anywhere',
      () => Buffer.concat(inChunks(BYTES, 333).map((part) => gzipSync(part))),
    ],
    ['gzip of UTF-16', () => gzipSync(Buffer.from(`\uFEFF${LOG}`, 'utf16le'))],
  ])('%s', async (_, source) => {
    expect(await briefs(source())).toEqual(EXPECTED);
  });

  test('no entry from an empty source', async () => {
    expect(await read(new Uint8Array(0))).toEqual([]);
    expect(await read([])).toEqual([]);
    expect(await read(gzipSync(''))).toEqual([]);
  });

  test('a log shorter than the bytes that show its encoding', async () => {
    expect(await briefs(bytes('#'))).toEqual(['1 comment ']);
    expect(await briefs(bytes('#a\n'))).toEqual(['1 comment a']);
  });
});

describe('a chunk may end anywhere', () => {
  const short = bytes('#ä€😀\r\n\n#[BaseTime: 1 (seconds since epoch)]\nTag=é,1,1,1,HISTé\n2,1,1,H');
  const utf16 = Buffer.from('\uFEFF#ä😀\r\n1,1,1,H\n', 'utf16le');
  const zipped = Buffer.concat([gzipSync(short.subarray(0, 20)), gzipSync(short.subarray(20))]);

  test.each([
    ['UTF-8', short],
    ['UTF-16', utf16],
    ['gzip', zipped],
  ])('in two chunks of %s', async (_, whole) => {
    const expected = await briefs(whole);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect([cut, await briefs([whole.subarray(0, cut), whole.subarray(cut)])]).toEqual([cut, expected]);
    }
  });

  test.each([1, 2, 3, 7])('in chunks of %d', async (size) => {
    for (const whole of [short, utf16, zipped]) {
      expect(await briefs(inChunks(whole, size))).toEqual(await briefs(whole));
    }
  });

  test('and the caller may reuse the memory of each', async () => {
    async function* reused(): AsyncGenerator<Uint8Array> {
      const memory = new Uint8Array(16);
      for (const chunk of inChunks(BYTES, 16)) {
        memory.set(chunk);
        yield memory.subarray(0, chunk.length);
      }
    }
    expect(await briefs(reused())).toEqual(EXPECTED);
  });
});

describe('gzip that is cut short', () => {
  const text = '#one\n#two\n#three\n'.repeat(4) + '1,1,1,H\n'.repeat(4);

  test('yields what comes before the cut, at every byte, then one malformed entry', async () => {
    const whole = gzipSync(text);
    const expected = entriesOf(text).map(brief);
    for (let cut = 2; cut < whole.length; cut++) {
      const entries = await read(whole.subarray(0, cut));
      const last = entries.at(-1);
      expect([cut, last]).toMatchObject([cut, { kind: 'malformed', error: { code: 'ERR_LOG_FORMAT' } }]);
      expect(last?.lineNumber).toBeGreaterThanOrEqual(entries.length);
      const others = entries.slice(0, -1).map(brief);
      // The last line may be torn.
      expect(others.slice(0, -1)).toEqual(expected.slice(0, Math.max(0, others.length - 1)));
    }
  });

  test('yields every line of the members before the cut', async () => {
    const whole = Buffer.concat([gzipSync('#one\n#two\n'), gzipSync('#three\n')]);
    const first = gzipSync('#one\n#two\n').length;
    for (let cut = first + 1; cut < whole.length; cut++) {
      const entries = (await read(whole.subarray(0, cut))).map(brief);
      expect(entries.slice(0, 2)).toEqual(['1 comment one', '2 comment two']);
      expect(entries.at(-1)).toMatch(/^[34] ERR_LOG_FORMAT$/);
    }
    expect((await read(whole.subarray(0, first))).map(brief)).toEqual(['1 comment one', '2 comment two']);
  });

  test.each([
    ['broken in its header', (whole: Uint8Array) => (whole[2] = 0)],
    ['broken in the middle', (whole: Uint8Array) => whole.fill(0xff, 20, 40)],
    [
      'with a wrong checksum',
      (whole: Uint8Array) => (whole[whole.length - 8] = (whole.at(-8) as number) ^ 1),
    ],
  ])('or %s ends with an error that names the next line', async (_, breakIt) => {
    const whole = new Uint8Array(gzipSync(bytes(logOf(40))));
    breakIt(whole);
    for (const source of [whole, inChunks(whole, 5)]) {
      const entries = await read(source);
      expect(entries.at(-1)).toMatchObject({
        kind: 'malformed',
        error: {
          code: 'ERR_LOG_FORMAT',
          message: expect.stringMatching(/^line \d+: the gzip stream is cut short or broken: /),
        },
      });
    }
  });

  test('differs from gzip with other bytes after it', async () => {
    const entries = await read([gzipSync('#one\n'), bytes('#two\n')]);
    expect(entries.map(brief)).toEqual(['1 comment one', '2 ERR_LOG_FORMAT']);
    // zlib takes the bytes after it for another member.
    expect(entries[1]).toMatchObject({
      error: { message: expect.stringMatching(/or broken: incorrect header check$/) },
    });
  });
});

describe('the file', () => {
  const openedHere = (): string[] =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
      } catch {
        return false;
      }
    });

  testUnless(lackOfFile('/proc/self/fd'))('is closed when reading ends early', async () => {
    const zipped = join(folder, 'log.hlog.gz');
    writeFileSync(zipped, gzipSync(bytes(logOf(50))));
    const descriptor = openSync(path, 'r');
    expect(openedHere()).toHaveLength(1);
    closeSync(descriptor);
    for (const file of [path, zipped]) {
      for await (const entry of readEntries(file)) if (entry.lineNumber === 2) break;
      const entries = readEntries(file);
      await entries.next();
      await entries.return();
    }
    // Streams close their files a moment later.
    for (let n = 0; n < 1000 && openedHere().length > 0; n++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(openedHere()).toEqual([]);
  });

  test('that does not exist is the error of the file system', async () => {
    await expect(read(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('an error of the source is thrown after what came before it', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield bytes('#one\n');
    throw new Error('the cable is out');
  }
  const seen: string[] = [];
  const reading = (async () => {
    for await (const entry of readEntries(failing())) seen.push(brief(entry));
  })();
  await expect(reading).rejects.toThrow('the cable is out');
  expect(seen).toEqual(['1 comment one']);
});

test('onBytes receives how many bytes of the source were taken, before decompression, and 0 after a pause', async () => {
  for (const whole of [BYTES, gzipSync(BYTES)]) {
    const counts: number[] = [];
    await read(inChunks(whole, 100), { onBytes: (count) => counts.push(count) });
    expect(counts.reduce((sum, count) => sum + count)).toBe(whole.length);
    const chunks = counts.filter((count) => count > 0);
    expect(chunks).toHaveLength(Math.ceil(whole.length / 100));
  }
});

test.each([[42], [undefined], [null], [{}], [new Date()]])('%p is refused as a source', async (source) => {
  await expect(read(source as never)).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
});

test('a stream of text is refused', async () => {
  await expect(read(['#text'] as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: 'source must be a stream of bytes, got "#text"',
  });
});
