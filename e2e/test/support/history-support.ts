/**
 * What files of `packages/history/test/support` export, which the package itself does not. They are imported one after the other, because
 * Jest links modules that share others at one time only.
 *
 * @typeParam T Those of the exports that are used.
 */
export async function importHistorySupport<T extends object>(...files: readonly string[]): Promise<T> {
  const found: object = {};
  for (const file of files) {
    const url = new URL(`../../../packages/history/test/support/${file}.ts`, import.meta.url);
    Object.assign(found, await import(url.href));
  }
  return found as T;
}
