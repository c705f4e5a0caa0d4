import { reasonOf } from '@hdrscope/kit';

/** Whether an error says that a package is not there. */
export function isAbsent(error: unknown): boolean {
  return [error, ...causesOf(error)].some((one) => {
    const { code } = Object(one) as { readonly code?: unknown };
    return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  });
}

/** Its reason, and those of its causes in parentheses. */
export function reasonsOf(error: unknown): string {
  return [error, ...causesOf(error)].map(reasonOf).reduceRight((inner, reason) => `${reason} (${inner})`);
}

/** The causes of an error, from the nearest to the first one. */
function causesOf(error: unknown): unknown[] {
  const causes = new Set<unknown>();
  for (let at = error; ; ) {
    const { cause } = Object(at) as { readonly cause?: unknown };
    if (cause == null || cause === error || causes.has(cause)) return [...causes];
    causes.add(cause);
    at = cause;
  }
}
