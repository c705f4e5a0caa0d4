import type { Storage } from '../counts/readonly-counts.ts';
import { assertOptions } from '../options.ts';

/** Options of what makes one histogram from another. */
export interface StorageOptions {
  /** How the counts are kept in memory. @default 'dense', and for copies the storage of the original */
  readonly storage?: Storage;
}

/**
 * The storage asked for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when there are other options.
 */
export function storageOf(name: string, options: StorageOptions, otherwise: Storage): Storage {
  assertOptions<StorageOptions>(options, { name, names: { storage: true } });
  return options.storage ?? otherwise;
}
