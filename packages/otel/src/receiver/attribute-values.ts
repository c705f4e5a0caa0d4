/** Values in attributes are nested no deeper than this, as they could exhaust the stack. */
export const DEEPEST_VALUE = 32;

/** An integer as a number where one holds it, or else as its decimal text: exporters have no bigints. */
export function integerValue(integer: bigint): number | string {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

/** Bytes as text, in base64 as OTLP's JSON has them. */
export function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
