// Source: RFC 1952, section 8.
const POLYNOMIAL = 0xedb88320;

const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
  return remainder;
});

/** The CRC-32 of bytes that follow others, whose CRC is given; 0 for no bytes before. */
export function addToCrc(crc: number, bytes: Uint8Array): number {
  let remainder = ~crc;
  for (let i = 0; i < bytes.length; i++)
    remainder = (remainder >>> 8) ^ TABLE[(remainder ^ bytes[i]!) & 255]!;
  return ~remainder >>> 0;
}
