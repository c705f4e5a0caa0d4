// The first four bytes of an encoding, big-endian. Source: HdrHistogram (Java), `AbstractHistogram`, `DoubleHistogram`.
export const V2_RAW_COOKIE = 0x1c849313;
export const V2_COMPRESSED_COOKIE = 0x1c849314;
export const DOUBLE_RAW_COOKIE = 0x0c72124e;
export const DOUBLE_COMPRESSED_COOKIE = 0x0c72124f;

/** A cookie in messages: `0x1c849313`. */
export function cookieText(cookie: number): string {
  return `0x${(cookie >>> 0).toString(16).padStart(8, '0')}`;
}
