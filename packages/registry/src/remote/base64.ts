// The arguments of a call are on the stack, which has no room for all bytes of a large histogram.
const CHUNK_BYTES = 8192;

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(text);
}

/** Every runtime has it, but the library of the language does not declare it. */
declare function btoa(binary: string): string;
