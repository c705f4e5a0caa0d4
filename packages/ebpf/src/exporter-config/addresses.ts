/** An address of IPv4 or IPv6 as text, in the form of Go's `net.IP`: the longest run of zeros of IPv6 is `::`. */
export function addressText(bytes: Uint8Array): string {
  const isMapped =
    bytes.length === 16 && bytes.subarray(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 255));
  if (bytes.length === 4) return bytes.join('.');
  if (isMapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!);
  const { from, length } = longestZeros(groups);
  const hex = (some: readonly number[]): string => some.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}

function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let longest = { from: 0, length: 0 };
  let length = 0;
  for (const [i, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { from: i + 1 - length, length };
  }
  return longest;
}

/** A name of DNS as text. In a packet each part follows its length. Other bytes stay as they are. */
export function domainName(bytes: Uint8Array): string {
  if (bytes.length === 0) return '.';
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes[at]!;
    if (end > bytes.length) return new TextDecoder().decode(bytes);
    parts.push(bytes.subarray(at + 1, end));
    at = end;
  }
  return parts.map((part) => new TextDecoder().decode(part)).join('.');
}
