import { toBase64 } from '@hdrscope/core/internal';

/** The deepest nesting of values in attributes. Deeper ones could exhaust the stack. */
export const DEEPEST_VALUE = 32;

/** An integer as a number if a number holds it exactly, else as decimal text: exporters know no bigints. */
export function integerValue(integer: bigint): number | string {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

/** Bytes as base64 text, as in OTLP's JSON. */
export function bytesText(bytes: Uint8Array): string {
  return toBase64(bytes);
}
