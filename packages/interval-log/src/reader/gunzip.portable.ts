import { brokenGzip } from './broken-gzip.ts';
import { GzipStreams } from './gzip-streams.ts';

// Deflate expands a piece by a factor of about 1000 at most, so this bounds the text in memory. A broken stream loses
// the text of one piece.
const GZIP_PIECE_BYTES = 2 ** 14;

/**
 * Yields all readable text of gzip streams that follow each other, then throws if the last one is cut short or broken. Zero bytes may follow.
 * `DecompressionStream` of browsers reads one stream alone, and does not say where it ends.
 */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const streams = new GzipStreams();
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += GZIP_PIECE_BYTES) {
      for (const text of checked(() => streams.push(chunk.subarray(at, at + GZIP_PIECE_BYTES))))
        if (text.length > 0) yield text;
    }
  }
  checked(() => streams.end());
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw brokenGzip(error as Error);
  }
}
