import { brokenGzip } from './broken-gzip.ts';

/**
 * Yields the text of a gzip stream, then throws if the stream is cut short or broken. Browsers read the first of several streams that
 * follow each other, and refuse the others as broken.
 */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { readable, writable } = new DecompressionStream('gzip');
  const writer = writable.getWriter();
  const failures: unknown[] = [];
  const write = async (): Promise<void> => {
    try {
      const source = noteFailure(chunks, (error) => failures.push(error));
      for await (const chunk of source) await writer.write(chunk as Uint8Array<ArrayBuffer>);
      await writer.close();
    } catch (error) {
      await writer.abort(error);
    }
  };
  // The reader gets the error.
  const written = write().catch(() => {});
  const reader = readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (error) {
    throw failures.length > 0 ? failures[0] : brokenGzip(withoutCall(error as Error));
  } finally {
    await reader.cancel().catch(() => {});
    await written;
  }
}

/** An error without the call of Chromium that failed: `Failed to execute 'close' on …: `. */
function withoutCall(error: Error): Error {
  return new Error(error.message.replace(/^Failed to execute '\w+' on '\w+': /, ''), { cause: error });
}

/** The chunks of a source, whose own error is noted. */
async function* noteFailure(
  chunks: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}
