/** The part of a response that takes its body in parts. Any stream of Node.js has it. */
export interface PartsSink {
  /** Takes a part. Returns whether it takes more before `'drain'`. */
  // biome-ignore lint/suspicious/noExplicitAny: streams differ in what they accept besides bytes
  write(part: any): unknown;
  /** Registers a listener for `'drain'`, `'close'` and `'error'`. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind of stream has events of its own
  on(event: any, listener: any): unknown;
  /** Ends the answer. */
  end(): unknown;
  /** Whether the client has gone. */
  readonly destroyed?: boolean;
}

/**
 * Writes a body as fast as the client takes it, and ends the response. Ends early if the client has gone.
 *
 * @param parts Of some 64 KiB each: how far the client is can be seen after each one.
 * @returns Rejects with the error of the response.
 * @example
 * ```ts
 * import { PassThrough } from 'node:stream';
 * import { writeParts } from '@hdrscope/kit/server';
 *
 * const response = new PassThrough();
 * await writeParts(response, [Buffer.from('two '), Buffer.from('parts')]);
 * response.read().toString(); //=> 'two parts'
 * ```
 */
export async function writeParts(
  response: PartsSink,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  let isOver = false;
  let failure: Error | undefined;
  let goOn = (): void => {};
  const stop = (error?: Error): void => {
    isOver = true;
    failure ??= error;
    goOn();
  };
  // A `pipeline` would add so many listeners to a response that Node.js warns of a leak.
  response.on('drain', () => goOn());
  response.on('close', () => stop());
  response.on('error', stop);
  for await (const part of parts) {
    if (isOver || response.destroyed) break;
    if (response.write(part)) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
  if (failure !== undefined) throw failure;
  if (!isOver && !response.destroyed) response.end();
}
