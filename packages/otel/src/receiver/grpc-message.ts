import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { HttpRefusal } from '@hdrscope/kit/server';

/** A frame begins with a byte that says whether it is compressed, and its length in four bytes. */
const HEADER_BYTES = 5;

/** A message in a frame of gRPC, not compressed. */
export function encodeFrame(message: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/**
 * The one message of a unary call, without its frame. Fails with a `HttpRefusal`: 400 when the frame is damaged or cut, 413 when it says that
 * it is larger than `maxBytes`, before any of it is read, and 404 (`UNIMPLEMENTED`) when the call has no message or two.
 */
export class UnaryMessage extends Transform {
  /** Whether the message is compressed, as soon as that is known. Rejects as the stream fails. */
  readonly isCompressed: Promise<boolean>;
  readonly #maxBytes: number;
  /** The bytes of the header that have come. */
  readonly #header: Buffer = Buffer.alloc(HEADER_BYTES);
  #headerLength = 0;
  /** The bytes of the message that have not come. */
  #missing = 0;
  #isComplete = false;
  #start: (isCompressed: boolean) => void = () => {};
  #stop: (failure: Error) => void = () => {};

  /** @param stream The body of the call. */
  constructor(stream: Readable, maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
    this.isCompressed = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.#stop = reject;
    });
    // Nobody may wait for it any longer.
    this.isCompressed.catch(() => {});
    this.on('error', (error) => this.#stop(error));
    this.on('close', () =>
      this.#stop(new HttpRefusal(400, 'the call ended before its message was complete')),
    );
    stream.on('close', () => {
      if (!this.#isComplete) this.destroy();
    });
    stream.pipe(this);
  }

  /** Whether all of the call has come. */
  get complete(): boolean {
    return this.#isComplete;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      const message = this.#readHeader(chunk);
      if (message.length > this.#missing)
        throw new HttpRefusal(404, 'a call must have one message, got more');
      this.#missing -= message.length;
      callback(null, message.length > 0 ? message : undefined);
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    this.#isComplete = true;
    if (this.#headerLength === 0) callback(new HttpRefusal(404, 'a call must have one message, got none'));
    else if (this.#headerLength < HEADER_BYTES || this.#missing > 0)
      callback(new HttpRefusal(400, 'the message is cut: it ends before the length that its frame states'));
    else callback();
  }

  /** Returns what follows the header. */
  #readHeader(chunk: Buffer): Buffer {
    if (this.#headerLength === HEADER_BYTES) return chunk;
    const taken = chunk.copy(this.#header, this.#headerLength);
    this.#headerLength += taken;
    if (this.#headerLength < HEADER_BYTES) return chunk.subarray(taken);
    const [flag] = this.#header;
    if (flag! > 1) throw new HttpRefusal(400, `the first byte of a frame must be 0 or 1, got ${flag}`);
    this.#missing = this.#header.readUInt32BE(1);
    if (this.#missing > this.#maxBytes) {
      const cure = 'send smaller batches, or raise maxBytes of the receiver';
      throw new HttpRefusal(
        413,
        `the body must have at most ${this.#maxBytes} bytes, on the wire and decompressed: ${cure}`,
      );
    }
    this.#start(flag === 1);
    return chunk.subarray(taken);
  }
}
