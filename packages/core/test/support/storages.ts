import type { Storage } from '../../src/counts/readonly-counts.ts';

/** All storages. They must behave alike. */
export const STORAGES: readonly Storage[] = ['dense', 'sparse', 'shared'];

/** Declares the same tests once for each storage. */
export function describeEachStorage(
  what: string,
  tests: (storage: Storage) => void,
  storages: readonly Storage[] = STORAGES,
): void {
  describe.each(storages)(`${what}, %s`, tests);
}
