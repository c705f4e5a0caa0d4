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

/**
 * The same bytes in chunks, each of at least `least` and less than twice as many bytes. The last one may be shorter. What comes from one
 * part is not copied.
 *
 * @param least From 1.
 */
export function* chunkBytes(parts: readonly Uint8Array[], least: number): Generator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const end = length + part.length - at < 2 * least ? part.length : at + least - length;
      pending.push(part.subarray(at, end));
      length += end - at;
      at = end;
      if (length < least) continue;
      yield pending.length === 1 ? pending[0]! : joinBytes(pending);
      pending = [];
      length = 0;
    }
  }
  if (length > 0) yield joinBytes(pending);
}
