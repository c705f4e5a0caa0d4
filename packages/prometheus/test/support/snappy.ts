/** A reader of Snappy's block format: https://github.com/google/snappy/blob/main/format_description.txt */
export function unsnappy(bytes: Uint8Array): Uint8Array {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let turn = 1; ; turn *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * turn;
      if (byte < 0x80) return value;
    }
  };
  const little = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++) value += bytes[at++]! * 256 ** i;
    return value;
  };
  const output = new Uint8Array(varint());
  let length = 0;
  while (at < bytes.length) {
    const tag = bytes[at++]!;
    if ((tag & 3) === 0) {
      const inTag = tag >>> 2;
      const count = 1 + (inTag < 60 ? inTag : little(inTag - 59));
      output.set(bytes.subarray(at, at + count), length);
      at += count;
      length += count;
      continue;
    }
    const [count, distance] =
      (tag & 3) === 1
        ? [4 + ((tag >>> 2) & 7), ((tag >>> 5) << 8) + little(1)]
        : [1 + (tag >>> 2), little((tag & 3) === 2 ? 2 : 4)];
    if (distance === 0 || distance > length)
      throw new Error(`a copy goes ${distance} back after ${length} bytes`);
    for (let i = 0; i < count; i++, length++) output[length] = output[length - distance]!;
  }
  if (length !== output.length) throw new Error(`must have ${output.length} bytes, has ${length}`);
  return output;
}
