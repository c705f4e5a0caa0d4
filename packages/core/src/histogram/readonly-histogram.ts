import type { Counted } from '../counted.ts';
import type { ReadonlyCounts, Storage } from '../counts/readonly-counts.ts';
import type { HistogramJson } from '../encoding/json.ts';
import type { CompressionOptions } from '../encoding/zlib-stream.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { Outliers, OutOfRangePolicy } from './out-of-range.ts';
import type { HdrReading } from './reading.ts';
import type { StorageOptions } from './storage-options.ts';

/** The public members of `HdrReading`: totals, bounds, percentiles, moments, iterations. */
type Reading = Pick<HdrReading<number>, keyof HdrReading<number>>;

/** The members of a histogram that do not change it; `Copy` is the histogram that `copy` returns. */
export interface ReadonlyHistogramOf<Copy> extends Reading {
  readonly layout: HdrLayout;
  readonly counts: ReadonlyCounts;
  readonly storage: Storage;
  /** Bytes held by the counts. */
  readonly byteLength: number;
  readonly autoResize: boolean;
  readonly outOfRange: OutOfRangePolicy;
  readonly outliers: Outliers;
  readonly startTimeMs: number | undefined;
  readonly endTimeMs: number | undefined;
  readonly tag: string | undefined;
  /** See `Counted.weight`. */
  readonly weight?: number | undefined;
  /** The same values as bigints: exact above 2^53 − 1 too. */
  readonly exact: HdrReading<bigint>;
  /** See `Histogram.copy`. */
  copy(options?: StorageOptions): Copy;
  /** See `Histogram.copyCorrected`. */
  copyCorrected(expectedInterval: number | bigint, options?: StorageOptions): Copy;
  /** See `Histogram.equals`. */
  equals(other: Counted<HdrLayout>): boolean;
  /** See `Histogram.encode`. */
  encode(): Uint8Array<ArrayBuffer>;
  /** See `Histogram.encodeCompressed`. */
  encodeCompressed(options?: CompressionOptions): Uint8Array<ArrayBuffer>;
  /** See `Histogram.toBase64`. */
  toBase64(options?: CompressionOptions): string;
  /** See `Histogram.toJSON`. */
  toJSON(): HistogramJson;
}
