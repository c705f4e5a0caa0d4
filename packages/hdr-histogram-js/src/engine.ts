import { Histogram as Engine, type Storage } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type BuildRequest, usualPolicy } from './build-request.ts';
import type { BitBucketSize } from './histogram.ts';

/**
 * The engine of a histogram that a program asks for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a part of the request is out of range.
 * @internal
 */
export function engineFor(request: Omit<Required<BuildRequest>, 'useWebAssembly'>): Engine {
  return new Engine({
    // hdr-histogram-js takes fractions too.
    lowestDiscernibleValue: Math.floor(request.lowestDiscernibleValue),
    highestTrackableValue: Math.ceil(request.highestTrackableValue),
    significantDigits: request.numberOfSignificantValueDigits,
    storage: storageOf(request.bitBucketSize),
    autoResize: request.autoResize,
    outOfRange: request.outOfRange,
  });
}

/**
 * Decodes any encoding of HdrHistogram.
 *
 * @param leastHighest The range reaches to this value at least.
 * @throws HdrscopeError `ERR_DECODE` when the data are no encoding.
 * @internal
 */
export function decodedEngine(data: Uint8Array | string, size: BitBucketSize, leastHighest: number): Engine {
  const decoded = Engine.decode(data, {
    storage: storageOf(size),
    highestTrackableValue: Math.ceil(leastHighest),
    // As there, the range of a decoded histogram is fixed until somebody sets `autoResize`.
    autoResize: false,
  });
  const outOfRange = usualPolicy();
  if (outOfRange === decoded.outOfRange) return decoded;
  const { layout, storage } = decoded;
  const discarding = new Engine({ layout, storage, autoResize: false, outOfRange });
  discarding.add(decoded);
  return discarding;
}

/**
 * The same counts in an engine that widens its range, or does not.
 *
 * @internal
 */
export function withAutoResize(engine: Engine, autoResize: boolean): Engine {
  if (engine.autoResize === autoResize) return engine;
  const other = emptyLike(engine, autoResize);
  other.add(engine);
  return other;
}

/** @internal */
export function emptyLike({ layout, storage, outOfRange }: Engine, autoResize: boolean): Engine {
  return new Engine({ layout, storage, autoResize, outOfRange });
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
function storageOf(size: BitBucketSize): Storage {
  const storage = STORAGES.get(size);
  if (storage === undefined) {
    throw mustBe('ERR_INVALID_OPTION', 'bitBucketSize', "8, 16, 32, 64 or 'packed'", size);
  }
  return storage;
}

const STORAGES: ReadonlyMap<BitBucketSize, Storage> = new Map<BitBucketSize, Storage>([
  [8, 'sparse'],
  [16, 'sparse'],
  [32, 'dense'],
  [64, 'dense'],
  ['packed', 'sparse'],
]);
