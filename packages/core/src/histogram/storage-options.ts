import type { Storage } from '../counts/readonly-counts.ts';
import { assertOptions } from '../options.ts';

/** Options of what makes one histogram from another. */
export interface StorageOptions<S extends Storage = Storage> {
  /** How the counts are kept in memory. @default 'dense', and for copies the storage of the original */
  readonly storage?: S;
}

/**
 * The storage asked for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when there are other options.
 */
export function storageOf<S extends Storage>(name: string, options: StorageOptions<S>, otherwise: S): S {
  assertOptions<StorageOptions<S>>(options, { name, names: { storage: true } });
  return options.storage ?? otherwise;
}
