import type { IncomingMessage } from 'node:http';
import { HdrscopeError } from '@hdrscope/core';
import { FILE_LIMITS, FileBudget, type FileLimits } from './file-budget.ts';
import type { OpenedMessage } from './messages.ts';
import type { DashboardOptions } from './options.ts';

/** The largest size of a file. */
const MOST_BYTES: number = 256 * 2 ** 20;

// So much of a file is counted before any of it is opened: a small file that decompresses into a very long text is never opened.
const AHEAD_BYTES = 2 ** 20;

// Bounds the memory of files.
const MOST_AT_ONCE = 2;
const LONGEST_NAME = 255;

/** An answer in JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: OpenedMessage | { readonly error: string };
}

/** Opens files that come as the bodies of requests. */
export class FileOpener {
  readonly #openFile: DashboardOptions['openFile'];
  readonly #mostBytes: number;
  readonly #limits: FileLimits;
  #open = 0;

  constructor(
    openFile: DashboardOptions['openFile'],
    mostBytes: number = MOST_BYTES,
    limits: FileLimits = FILE_LIMITS,
  ) {
    this.#openFile = openFile;
    this.#mostBytes = mostBytes;
    this.#limits = limits;
  }

  /** Never rejects. */
  async answer(request: IncomingMessage, name: string): Promise<JsonAnswer> {
    if (this.#openFile === undefined) return failure(404, 'this page takes no files');
    if (name === '' || name.length > LONGEST_NAME) {
      return failure(400, `the name of a file must have 1 to ${LONGEST_NAME} characters`);
    }
    if (Number(request.headers['content-length'] ?? 0) > this.#mostBytes) return this.#tooLarge(name);
    if (this.#open >= MOST_AT_ONCE) return failure(503, 'other files are being opened: try again');
    this.#open += 1;
    try {
      const plots = await this.#openFile(name, this.#bounded(request, name));
      return { status: 200, body: { plots } };
    } catch (error) {
      if (error instanceof TooLarge) return this.#tooLarge(name);
      const isExpected = error instanceof HdrscopeError;
      return failure(422, `${name}: ${isExpected ? error.message : 'it cannot be read'}`);
    } finally {
      this.#open -= 1;
    }
  }

  async *#bounded(request: IncomingMessage, name: string): AsyncGenerator<Uint8Array, void> {
    let bytes = 0;
    let ahead: Uint8Array[] | undefined = [];
    const budget = new FileBudget(this.#limits);
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > this.#mostBytes) throw new TooLarge(name);
        await budget.take(chunk);
        if (ahead === undefined) yield chunk;
        else {
          ahead.push(chunk);
          if (bytes < AHEAD_BYTES) continue;
          yield* ahead;
          ahead = undefined;
        }
      }
      if (ahead !== undefined) yield* ahead;
    } finally {
      budget.end();
    }
  }

  #tooLarge(name: string): JsonAnswer {
    return failure(413, `${name} is larger than ${this.#mostBytes / 2 ** 20} MiB`);
  }
}

class TooLarge extends Error {}

function failure(status: number, error: string): JsonAnswer {
  return { status, body: { error } };
}
