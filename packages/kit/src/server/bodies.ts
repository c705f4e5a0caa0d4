import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { mustBe } from '@hdrscope/core/internal';
import { Budget } from '../budget.ts';
import { HttpRefusal } from './http-refusal.ts';
import { holdBytes } from './room.ts';

/** The body of a request, before it is read. */
export interface IncomingBody {
  /** Its bytes as they were sent. It may fail with a `HttpRefusal`. */
  readonly source: Readable & { readonly complete: boolean };
  /** Whether they are gzip, and are decompressed. */
  readonly isGzip: boolean;
  /** The request or the stream that a guarded server knows. */
  readonly holder: object;
}

/** How many bytes the bodies of requests may have. */
export interface BodyLimits {
  /** The largest body, on the wire and decompressed. */
  readonly maxBytes: number;
  /** The most bytes of all bodies that have come, and whose requests are not answered. */
  readonly maxPendingBytes: number;
}

const PIECE_BYTES = 65_536;
const CUT = 'the request ended before its body was complete';

const PENDING_BODIES = 4;

/**
 * Settings of a receiver with how many bytes the bodies of all requests under way may have. Left out, they are 4 times as many as those of one body.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when fewer bytes may be under way than one body may have.
 */
export function withPendingBytes<
  S extends { readonly maxBytes: number; readonly maxPendingBytes?: number | undefined },
>(settings: S): S & { readonly maxPendingBytes: number } {
  const { maxBytes, maxPendingBytes = PENDING_BODIES * maxBytes } = settings;
  if (maxPendingBytes >= maxBytes) return { ...settings, maxPendingBytes };
  throw mustBe('ERR_INVALID_OPTION', 'maxPendingBytes', 'an integer of at least maxBytes', maxPendingBytes);
}

/** The bodies of the requests under way. */
export class Bodies {
  readonly #limits: BodyLimits;
  /** The oldest first. */
  readonly #underWay = new Set<Body>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * Reads the body of a request, decompresses it while it comes, and holds it until its use ends. When the bodies under way are too
   * large together, the oldest one that is not complete is given up: slow clients do not keep others out.
   *
   * @throws HttpRefusal 400 when it cannot be read, 503 when the bodies under way are too large together. HdrscopeError `ERR_TOO_LARGE`
   *   when it is too large.
   */
  async use<Result>(incoming: IncomingBody, use: (bytes: Uint8Array) => Promise<Result>): Promise<Result> {
    const body = new Body(incoming, this.#limits.maxBytes, () => this.#makeRoom());
    this.#underWay.add(body);
    try {
      return await use(await body.complete);
    } finally {
      this.#underWay.delete(body);
    }
  }

  #makeRoom(): void {
    const { maxPendingBytes } = this.#limits;
    let length = 0;
    for (const body of this.#underWay) length += body.length;
    for (const body of this.#underWay) {
      if (length <= maxPendingBytes) return;
      if (body.isComplete || body.length === 0) continue;
      length -= body.length;
      body.giveUp(new HttpRefusal(503, `the requests under way must have at most ${maxPendingBytes} bytes`));
    }
  }
}

/** A body that is being read. */
class Body {
  /** Rejects when the body cannot be read. */
  readonly complete: Promise<Uint8Array>;
  readonly #request: IncomingBody['source'];
  readonly #holder: object;
  readonly #gunzip: Gunzip | undefined;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #isComplete = false;
  #failure: Error | undefined;
  #reject: (failure: Error) => void = () => {};

  /** @param onPiece Runs when more bytes are held. */
  constructor({ source: request, isGzip, holder }: IncomingBody, maxBytes: number, onPiece: () => void) {
    this.#request = request;
    this.#holder = holder;
    this.#gunzip = isGzip ? request.pipe(createGunzip({ chunkSize: PIECE_BYTES })) : undefined;
    const budget = new Budget('the body', { bytes: maxBytes });
    const source = this.#gunzip ?? request;
    source.on('data', (piece: Buffer) => {
      if (this.#failure !== undefined) return;
      const problem = passedLimit(budget, piece.length);
      if (problem !== undefined) {
        this.#fail(problem);
        return;
      }
      this.#pieces.push(piece);
      this.#length += piece.length;
      holdBytes(holder, this.#length);
      onPiece();
    });
    this.#readWire(maxBytes);
    this.complete = new Promise((resolve, reject) => {
      this.#reject = reject;
      source.on('end', () => {
        if (this.#failure !== undefined) return;
        const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
        this.#pieces.length = 0;
        this.#isComplete = true;
        resolve(bytes);
      });
    });
    this.#gunzip?.on('error', (error) =>
      this.#fail(new HttpRefusal(400, `the body is not gzip: ${error.message}`)),
    );
    // It may have failed before anybody listened.
    if (request.errored instanceof HttpRefusal) this.giveUp(request.errored);
    else if (request.destroyed && !request.complete) this.giveUp(new HttpRefusal(400, CUT));
  }

  /** How many bytes are held. */
  get length(): number {
    return this.#length;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Ends the reading at once. */
  giveUp(failure: Error): void {
    this.#fail(failure);
    this.#reject(failure);
  }

  /** Watches the bytes as they were sent. Past a failure it reads on for as much again, so that the sender comes to read the answer. */
  #readWire(maxBytes: number): void {
    const request = this.#request;
    const wire = new Budget('the body', { bytes: maxBytes });
    let rest = maxBytes;
    request.on('data', (piece: Buffer) => {
      if (this.#failure === undefined && this.#gunzip !== undefined) {
        const problem = passedLimit(wire, piece.length);
        if (problem !== undefined) this.#fail(problem);
      } else if (this.#failure !== undefined) {
        rest -= piece.length;
        if (rest < 0) this.#reject(this.#failure);
      }
    });
    request.on('end', () => {
      if (this.#failure !== undefined) this.#reject(this.#failure);
    });
    request.on('error', (error) => {
      // Else it closes then.
      if (error instanceof HttpRefusal) this.giveUp(error);
    });
    request.on('close', () => {
      if (!request.complete) this.giveUp(new HttpRefusal(400, CUT));
      else if (this.#failure !== undefined) this.#reject(this.#failure);
    });
  }

  /** Drops what came. The request is refused when it ends. */
  #fail(failure: Error): void {
    if (this.#failure !== undefined || this.#isComplete) return;
    this.#failure = failure;
    this.#pieces.length = 0;
    this.#length = 0;
    holdBytes(this.#holder, 0);
    if (this.#gunzip !== undefined) {
      this.#request.unpipe(this.#gunzip);
      this.#gunzip.destroy();
    }
    if (this.#request.readableEnded) this.#reject(failure);
    else this.#request.resume();
  }
}

function passedLimit(budget: Budget, length: number): Error | undefined {
  try {
    budget.takeBytes(length);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
