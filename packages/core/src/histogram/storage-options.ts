import type { Storage } from '../counts/readonly-counts.ts';
import { assertOptions, type OptionRule, oneOf } from '../options.ts';

/** Options of what makes one histogram from another. */
export interface StorageOptions {
  /** How the counts are kept in memory. @default 'dense', and for copies the storage of the original */
  readonly storage?: Storage;
}

/** The rule of `storage`. */
export const STORAGE: OptionRule<Storage> = /* @__PURE__ */ oneOf(['dense', 'sparse', 'shared']);

/**
 * The storage asked for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when there are other options.
 */
export function storageOf(name: string, options: StorageOptions, otherwise: Storage): Storage {
  assertOptions<StorageOptions>(options, { name, names: { storage: STORAGE } });
  return options.storage ?? otherwise;
}
