import { crc32, gzipSync } from 'node:zlib';
import * as node from '../../src/reader/gunzip.node.ts';
import * as portable from '../../src/reader/gunzip.portable.ts';

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

/** A gzip stream with the parts of a header that the flags name. Source: RFC 1952, section 2.3. */
function withHeader(flags: number, text: string): Buffer {
  const plain = gzipSync(text);
  const header = Buffer.concat([
    Uint8Array.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3),
    (flags & 4) !== 0 ? Uint8Array.of(3, 0, 1, 2, 3) : Uint8Array.of(),
    Buffer.from((flags & 8) !== 0 ? 'service.hlog\0' : ''),
    Buffer.from((flags & 16) !== 0 ? 'the log of a day\0' : ''),
  ]);
  const check = Buffer.alloc((flags & 2) !== 0 ? 2 : 0);
  if (check.length > 0) check.writeUInt16LE(crc32(header) & 0xffff);
  return Buffer.concat([header, check, plain.subarray(10)]);
}

const TEXT = 'a line of a log\n'.repeat(20_000);

describe.each([
  ['in Node.js', node],
  ['anywhere else', portable],
] as const)('gunzip %s', (_, { gunzip }) => {
  test('yields the text, in pieces of any length', async () => {
    for (const length of [1000, 65_536, 10_000_000])
      expect(await readAll(gunzip(inPieces(gzipSync(TEXT), length)))).toBe(TEXT);
  });

  test('refuses a stream that is cut short, or has a wrong byte', async () => {
    const whole = gzipSync(TEXT);
    const wrong = whole.map((byte, at) => (at === whole.length - 6 ? byte ^ 1 : byte));
    for (const bytes of [whole.subarray(0, -20), wrong])
      await expect(readAll(gunzip(inPieces(bytes, 1000)))).rejects.toMatchObject({
        code: 'ERR_LOG_FORMAT',
        message: expect.stringContaining('the gzip stream is cut short or broken'),
      });
  });

  test('yields the text of streams that follow each other, in pieces of any length', async () => {
    const texts = ['a\n', '', 'b\n'.repeat(50_000), 'c\n'];
    const bytes = Buffer.concat(texts.map((text) => gzipSync(text)));
    for (const length of [1, 7, 1000, 10_000_000])
      expect(await readAll(gunzip(inPieces(bytes, length)))).toBe(texts.join(''));
  });

  test('yields the text of thousands of small streams', async () => {
    const one = gzipSync('x');
    const bytes = Buffer.concat(Array.from({ length: 20_000 }, () => one));
    expect(await readAll(gunzip(inPieces(bytes, 2 ** 18)))).toBe('x'.repeat(20_000));
  });

  test('takes zero bytes after the last stream, and refuses all others', async () => {
    const bytes = Buffer.concat([gzipSync(TEXT), new Uint8Array(1000)]);
    for (const length of [100, 10_000_000]) {
      expect(await readAll(gunzip(inPieces(bytes, length)))).toBe(TEXT);
      for (const after of ['junk', '\0\0junk', '\x1f'])
        await expect(
          readAll(gunzip(inPieces(Buffer.concat([gzipSync(TEXT), Buffer.from(after)]), length))),
        ).rejects.toMatchObject({ code: 'ERR_LOG_FORMAT' });
    }
  });

  test('refuses the second of two streams at every place where it is cut off', async () => {
    const first = gzipSync('first\n');
    const bytes = Buffer.concat([first, gzipSync('second, and some more\n')]);
    for (let end = first.length + 1; end < bytes.length; end++)
      await expect(readAll(gunzip(inPieces(bytes.subarray(0, end), 11)))).rejects.toMatchObject({
        code: 'ERR_LOG_FORMAT',
      });
  });

  test('refuses a stream with any wrong byte, or yields its text', async () => {
    const bytes = gzipSync('a line of a log, and another one\n');
    for (const [at, byte] of bytes.entries()) {
      const wrong = Uint8Array.from(bytes);
      wrong[at] = byte ^ 64;
      const text = await readAll(gunzip(inPieces(wrong, 9))).catch((error: { code: string }) => error.code);
      expect(['ERR_LOG_FORMAT', 'a line of a log, and another one\n']).toContain(text);
    }
  });

  test('skips the names, comments and extra fields of headers', async () => {
    for (const length of [1, 5, 1000]) {
      const bytes = Buffer.concat([
        withHeader(0x1f, 'one\n'),
        withHeader(0x10, 'two\n'),
        withHeader(0, 'three\n'),
      ]);
      expect(await readAll(gunzip(inPieces(bytes, length)))).toBe('one\ntwo\nthree\n');
    }
    const wrongCheck = withHeader(0x1f, 'one\n');
    wrongCheck[12] = wrongCheck[12]! ^ 1;
    for (const bytes of [wrongCheck, withHeader(0x20, 'one\n')])
      await expect(readAll(gunzip(inPieces(bytes, 1000)))).rejects.toMatchObject({ code: 'ERR_LOG_FORMAT' });
  });

  test('throws an error of the source unchanged', async () => {
    const failure = new Error('the disk is gone');
    async function* failing(): AsyncGenerator<Uint8Array, void> {
      yield gzipSync(TEXT).subarray(0, 100);
      throw failure;
    }
    await expect(readAll(gunzip(failing()))).rejects.toBe(failure);
  });

  test('ends the source when its reader stops', async () => {
    let isEnded = false;
    async function* endless(): AsyncGenerator<Uint8Array, void> {
      try {
        for (const piece of [gzipSync(TEXT)]) yield piece;
        yield Uint8Array.of();
      } finally {
        isEnded = true;
      }
    }
    for await (const _ of gunzip(endless())) break;
    expect(isEnded).toBe(true);
  });
});
