/** How many bytes all parts have. */
export function countBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * The bytes of all parts in one array.
 *
 * @example
 * ```ts
 * import { joinBytes } from '@hdrscope/kit';
 *
 * joinBytes([Uint8Array.of(1, 2), Uint8Array.of(3)]); //=> Uint8Array.of(1, 2, 3)
 * ```
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(countBytes(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
