import type { Histogram as Engine } from '@hdrscope/core';
import { type BuildRequest, requestOf } from './build-request.ts';
import { decodedEngine, engineFor } from './engine.ts';
import { EngineHistogram, engineOf, INSPECT } from './engine-histogram.ts';
import { type BitBucketSize, type HistogramSummary, toSummary } from './histogram.ts';

// There is no WebAssembly here: the engine is faster without. What programs see of it stays, so that they work as before.

/** Whether `useWebAssembly` has an effect: always. */
export const webAssemblyAvailable = true;

let isReady = false;

/** As in hdr-histogram-js, comes before the first histogram with `useWebAssembly`. It loads nothing. */
export async function initWebAssembly(): Promise<void> {
  isReady = true;
}

/** As `initWebAssembly`, at once. */
export function initWebAssemblySync(): void {
  isReady = true;
}

/** Whether `initWebAssembly` or `initWebAssemblySync` was called. */
export function webAssemblyReady(): boolean {
  return isReady;
}

/** What `build` makes with `useWebAssembly`. Its memory is freed with the object, or by `destroy`. */
export class WasmHistogram extends EngineHistogram {
  readonly #size: BitBucketSize;

  /** @internal */
  constructor(engine: Engine, size: BitBucketSize) {
    super(engine);
    this.#size = size;
  }

  /**
   * Makes a histogram in the memory of WebAssembly.
   *
   * @throws Error before `initWebAssembly`.
   */
  static build(request: BuildRequest = {}): WasmHistogram {
    assertReady();
    const full = requestOf(request);
    return new WasmHistogram(engineFor(full), full.bitBucketSize);
  }

  /**
   * Decodes a histogram of any HdrHistogram into the memory of WebAssembly.
   *
   * @param minBarForHighestTrackableValue The range reaches at least so far, in the unit of the values. @default 0
   *
   * @throws Error before `initWebAssembly`; HdrscopeError `ERR_DECODE` when the bytes are no encoding.
   */
  static decode(
    data: Uint8Array | string,
    bitBucketSize: BitBucketSize = 32,
    minBarForHighestTrackableValue = 0,
  ): WasmHistogram {
    assertReady();
    const engine = decodedEngine(data, bitBucketSize, minBarForHighestTrackableValue);
    const histogram = new WasmHistogram(engine, bitBucketSize);
    histogram.readBounds();
    return histogram;
  }

  /** @internal */
  protected get family(): string {
    return 'WASM';
  }

  /** With all digits of the percentiles, as there. */
  override get summary(): HistogramSummary {
    return toSummary(this, ALL_DIGITS);
  }

  /** The bytes that it takes, rather too many than too few. */
  override get estimatedFootprintInBytes(): number {
    return super.estimatedFootprintInBytes + SIZE_BYTES;
  }

  /** @internal */
  protected empty(engine: Engine): WasmHistogram {
    return new WasmHistogram(engine, this.#size);
  }

  /** The encoding of HdrHistogram (V2) without compression. */
  encode(): Uint8Array {
    return engineOf(this).encode();
  }

  /** The name of the class and the `summary` as JSON. */
  override toString(): string {
    const name = this.#size === 'packed' ? 'PackedHistogram' : `Histogram${this.#size}`;
    return `WASM ${name} ${JSON.stringify(this, null, 2)}`;
  }

  /** Frees the memory at once. Afterwards, every use of the histogram is an error. */
  destroy(): void {
    // Another prototype costs the histograms that are in use nothing.
    Object.setPrototypeOf(this, DESTROYED);
  }
}

/** More than any value has. */
const ALL_DIGITS = 20;

/** The field that others do not have. */
const SIZE_BYTES = 8;

/** The prototype of destroyed histograms: all members but those that print them are errors. */
const DESTROYED: object = /* @__PURE__ */ destroyedPrototype();

function destroyedPrototype(): object {
  const fail = (): never => {
    throw new Error('Cannot use a destroyed histogram');
  };
  const text = { value: () => 'Destroyed WASM histogram' };
  const printing = new Set<string | symbol>(['toString', 'inspect', INSPECT]);
  const members = [EngineHistogram.prototype, WasmHistogram.prototype].flatMap((from) =>
    Reflect.ownKeys(from),
  );
  const prototype = Object.create(WasmHistogram.prototype);
  for (const name of new Set(members)) {
    if (name === 'constructor') continue;
    Object.defineProperty(prototype, name, printing.has(name) ? text : { get: fail, set: fail });
  }
  return prototype;
}

function assertReady(): void {
  if (!isReady) throw new Error('WebAssembly is not ready yet! Call initWebAssembly() first.');
}
