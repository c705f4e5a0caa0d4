import { createGunzip } from 'node:zlib';
import { brokenGzip } from './broken-gzip.ts';

// Deflate expands a piece by a factor of about 1000 at most, so this bounds the text in memory. A broken stream loses
// the text of one piece.
const GZIP_PIECE_BYTES = 2 ** 14;

/** Yields all readable text of a gzip stream, then throws if the stream is cut short or broken. */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const stream = createGunzip();
  let texts: Uint8Array[] = [];
  const takeTexts = (): Uint8Array[] => {
    const all = texts;
    texts = [];
    return all;
  };
  let isOver = false;
  let failure: Error | undefined;
  // zlib never calls the callback of a write that fails, so `step` waits for the callback or the end of the stream.
  let resume = (): void => {};
  const end = (error?: Error): void => {
    isOver = true;
    failure = error;
    resume();
  };
  stream.on('data', (text: Uint8Array) => texts.push(text));
  stream.once('end', () => end());
  stream.once('error', end);
  const step = (start: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      resume = resolve;
      if (isOver) resolve();
      else start(resolve);
    });

  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length && failure === undefined; at += GZIP_PIECE_BYTES) {
        const piece = chunk.subarray(at, at + GZIP_PIECE_BYTES);
        const bytesBefore = stream.bytesWritten;
        await step((done) => stream.write(piece, done));
        yield* takeTexts();
        const rest = piece.subarray(stream.bytesWritten - bytesBefore);
        if (failure === undefined && rest.some((byte) => byte !== 0)) {
          end(new Error('the bytes after it are not compressed'));
        }
      }
      if (failure !== undefined) break;
    }
    await step(() => stream.end());
    yield* takeTexts();
    if (failure === undefined) return;
    throw brokenGzip(failure);
  } finally {
    stream.destroy();
  }
}
