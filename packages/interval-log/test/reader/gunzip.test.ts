import { gzipSync } from 'node:zlib';
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
