import type { HdrscopeError } from '@hdrscope/core';
import { LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import { errnoNameOf } from '../bpf/uapi.ts';
import { compileExpression, matchOf } from './expression.ts';
import type { SystemNames } from './system-names.ts';
import type { YamlValue } from './yaml-value.ts';

/** Turns the bytes of a label into text. */
type FirstDecoder = (bytes: Uint8Array, names: SystemNames) => string;

/** Turns the text of the decoder before it into another text; `undefined` leaves out the histogram. */
export type NextDecoder = (text: string, names: SystemNames) => string | undefined;

/** Sizes of labels that a decoder takes, in bytes. */
interface Sizes {
  readonly allowed: string;
  fits(size: number): boolean;
}

const sizes = (...allowed: readonly number[]): Sizes => ({
  allowed: allowed.join(' or '),
  fits: (size) => allowed.includes(size),
});

/** Decoders of bytes besides `uint` and `string`, which read fields of their own types. They take any size without `sizes`. */
export const FIRST_DECODERS: Readonly<
  Record<string, { readonly sizes?: Sizes; readonly decode: FirstDecoder }>
> = {
  hex: { decode: (bytes) => Buffer.from(bytes).toString('hex') },
  dname: { decode: domainName },
  inet_ip: { sizes: sizes(4, 16), decode: addressText },
  ifname: {
    sizes: sizes(4),
    decode: (bytes, names) => {
      const index = String(viewOf(bytes).getUint32(0, LITTLE_ENDIAN));
      return names.networkInterface(index) ?? `unknown:${index}`;
    },
  },
  majorminor: {
    sizes: sizes(4),
    decode: (bytes, names) => {
      const device = viewOf(bytes).getUint32(0, LITTLE_ENDIAN);
      // Source: Linux, `include/linux/kdev_t.h`, `new_encode_dev`: 12 bits in the middle are the major number.
      const major = (device >>> 8) & 0xfff;
      const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
      return names.device(`${major}:${minor}`) ?? `unknown:${major}:${minor}`;
    },
  },
  ksym: {
    sizes: sizes(8),
    decode: (bytes, names) => {
      const [address = ''] = addressesIn(bytes);
      return names.symbolAt(address) ?? `unknown_addr:0x${address.replace(/^0+(?=.)/, '')}`;
    },
  },
  kstack: {
    sizes: { allowed: 'a multiple of 8', fits: (size) => size % 8 === 0 },
    decode: (bytes, names) => {
      const addresses = addressesIn(bytes);
      const end = addresses.indexOf('0'.repeat(16));
      const frames = end === -1 ? addresses : addresses.slice(0, end);
      return frames.map((address) => names.symbolAround(address) ?? '??').join('\n');
    },
  },
};

function addressesIn(bytes: Uint8Array): readonly string[] {
  const view = viewOf(bytes);
  return Array.from({ length: bytes.length / 8 }, (_, i) =>
    view
      .getBigUint64(8 * i, LITTLE_ENDIAN)
      .toString(16)
      .padStart(16, '0'),
  );
}

/** Decoders of integers, which follow `uint`. */
const AFTER_UINT: Readonly<Record<string, NextDecoder>> = {
  cgroup: (id, names) => names.cgroup(id) ?? `unknown_cgroup_id:${id}`,
  errno: (number) => errnoNameOf(number) ?? `unknown:${number}`,
};

/** Decoders of any text, after another decoder. */
const AFTER_ANY: Readonly<Record<string, (decoder: YamlValue) => NextDecoder>> = {
  string: () => (text) => text.split('\0', 1)[0],
  hex: () => (text) => Buffer.from(text).toString('hex'),
  dname: () => (text) => domainName(Buffer.from(text)),
  static_map: staticMap,
  regexp: regularExpressions,
};

/** Decoders of ebpf_exporter that are not here, because they take tables that this machine may lack. */
const ABSENT: readonly string[] = ['syscall', 'pci_vendor', 'pci_device', 'pci_class', 'pci_subclass'];

/**
 * A decoder that follows another one.
 *
 * @param before The name of the decoder before it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it cannot follow, or an option of it is invalid.
 */
export function nextDecoder(decoder: YamlValue, before: string): NextDecoder {
  const name = decoder.get('name').text();
  if (Object.hasOwn(AFTER_ANY, name)) return AFTER_ANY[name]!(decoder);
  if (!Object.hasOwn(AFTER_UINT, name)) throw unknownDecoder(decoder);
  if (before !== 'uint')
    throw decoder.get('name').mustBe('a decoder after uint, because it takes an integer');
  return AFTER_UINT[name]!;
}

/** Builds the error for a decoder that cannot stand here. */
export function unknownDecoder(decoder: YamlValue): HdrscopeError {
  const name = decoder.get('name');
  const first = ['uint', ...Object.keys(FIRST_DECODERS)];
  const later = [...Object.keys(AFTER_ANY), ...Object.keys(AFTER_UINT)];
  if (ABSENT.includes(name.text())) {
    return name.mustBe(
      'a decoder that hdrscope has: give the integers that matter their names by uint and static_map',
    );
  }
  if (first.includes(name.text()))
    return name.mustBe('a decoder of texts, and this one takes bytes: put it first');
  if (later.includes(name.text())) return name.mustBe('a decoder after uint or string, which give its text');
  return name.mustBe(`one of ${[...new Set([...first, ...later])].join(', ')}`);
}

function staticMap(decoder: YamlValue): NextDecoder {
  const map = decoder.get('static_map');
  const names = new Map(map.entries().map(([key, value]) => [key, value.literal()]));
  if (names.size === 0) throw map.mustBe('a map of texts to names');
  const allowsUnknown = decoder.get('allow_unknown').boolean(false);
  return (text) => names.get(text) ?? (allowsUnknown ? text : `unknown:${text}`);
}

function regularExpressions(decoder: YamlValue): NextDecoder {
  const list = decoder.get('regexps');
  const expressions = list.items().map((item) => {
    const compiled = compileExpression(item.text());
    if (typeof compiled === 'string')
      throw item.mustBe(`an expression that JavaScript has too (${compiled})`);
    return compiled;
  });
  if (expressions.length === 0) throw list.mustBe('a list of at least one expression');
  return (text) => {
    for (const expression of expressions) {
      const match = matchOf(expression, text);
      if (match !== undefined) return match;
    }
    return undefined;
  };
}

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
function domainName(bytes: Uint8Array): string {
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
