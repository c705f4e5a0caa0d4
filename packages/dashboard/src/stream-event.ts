import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { Answer } from './answer/answers.ts';

/** A server-sent event. */
interface Message {
  readonly event: 'table' | keyof Answer;
  /** JSON in one line. */
  readonly data: string;
  /** The id that a client sends when it connects again. */
  readonly id?: string;
}

const deflate = promisify(deflateRaw);

// Beneath it, a block costs more than it saves.
const LEAST_ZIPPED = 1024;

/**
 * An event as streams have it. All clients share its bytes, the compressed ones too: these are blocks of DEFLATE that refer to nothing before
 * them, and end at a byte. So a stream of gzip is a header and the blocks of its events, and no client has a compressor of its own.
 * https://www.rfc-editor.org/rfc/rfc1951#section-3.2, https://www.rfc-editor.org/rfc/rfc1952#section-2.3
 */
export class StreamEvent {
  readonly name: Message['event'];
  readonly data: string;
  readonly #id: string | undefined;
  #bytes: Buffer | undefined;
  #blocks: Promise<Buffer> | undefined;

  constructor({ event, data, id }: Message) {
    this.name = event;
    this.data = data;
    this.#id = id;
  }

  /** The event as text. */
  get bytes(): Buffer {
    const id = this.#id === undefined ? '' : `id: ${this.#id}\n`;
    this.#bytes ??= Buffer.from(`event: ${this.name}\n${id}data: ${this.data}\n\n`);
    return this.#bytes;
  }

  /** The event as blocks of DEFLATE. They are made once, in another thread. */
  async zip(): Promise<Buffer> {
    this.#blocks ??=
      this.bytes.length < LEAST_ZIPPED
        ? Promise.resolve(storeBlock(this.bytes))
        : deflate(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    return await this.#blocks;
  }
}

/** A block that holds bytes as they are. @param bytes At most 65,535. */
export function storeBlock(bytes: Buffer): Buffer {
  const block = Buffer.alloc(5 + bytes.length);
  block.writeUInt16LE(bytes.length, 1);
  block.writeUInt16LE(bytes.length ^ 0xffff, 3);
  bytes.copy(block, 5);
  return block;
}

/** The header of gzip: DEFLATE, no name, no time, an unknown system. */
export const GZIP_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** An empty block that is the last one. */
const LAST_BLOCK = [3, 0];

/** What a stream of gzip has to know of its bytes for its end. */
export class GzipEnd {
  #crc = 0;
  #length = 0;

  /** Notes bytes that were compressed. */
  note(bytes: Buffer): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#length = (this.#length + bytes.length) % 2 ** 32;
  }

  /** The last block, and the trailer. */
  write(): Buffer {
    const end = Buffer.from([...LAST_BLOCK, 0, 0, 0, 0, 0, 0, 0, 0]);
    end.writeUInt32LE(this.#crc, 2);
    end.writeUInt32LE(this.#length, 6);
    return end;
  }
}
