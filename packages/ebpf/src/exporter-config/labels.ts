import type { Attributes } from '@hdrscope/registry';
import type { Field, FieldType } from '../bpf/fields.ts';
import { FIRST_DECODERS, type NextDecoder, nextDecoder, unknownDecoder } from './decoders.ts';
import type { SystemNames } from './system-names.ts';
import type { YamlValue } from './yaml-value.ts';

/** A label of ebpf_exporter. */
export interface Label {
  /** Its field of the key, as it is read. */
  readonly field: Field;
  /** Whether `uint` is its only decoder, so it stays an integer. */
  readonly isInteger: boolean;
  readonly decode: (raw: string, names: SystemNames) => string | undefined;
}

/** The labels of a histogram, and the size of a key that has them all. */
export interface Labels {
  readonly labels: readonly Label[];
  readonly keySize: number;
}

const SIZES_OF_UINT: readonly number[] = [1, 2, 4, 8];
const LARGEST_LABEL = 4096;

/** Reads the labels of a histogram. Their fields follow one another in a key, each with its padding. */
export function readLabels(list: YamlValue): Labels {
  let offset = 0;
  const names = new Set<string>();
  const labels = list.items().map((item) => {
    const name = item.get('name');
    if (!/^[a-zA-Z_]\w*$/.test(name.text()) || name.text() === 'le') {
      throw name.mustBe('a name of letters, digits and _, other than le');
    }
    if (names.has(name.text())) throw name.mustBe('a name that no other label has');
    names.add(name.text());
    const size = item.get('size').integer(1);
    if (size > LARGEST_LABEL) throw item.get('size').mustBe(`at most ${LARGEST_LABEL} bytes`);
    const label = readLabel(item, { name: name.text(), size, offset });
    offset += size + item.get('padding').integer(0, 0);
    return label;
  });
  return { labels, keySize: offset };
}

function readLabel(
  item: YamlValue,
  { name, size, offset }: { readonly name: string; readonly size: number; readonly offset: number },
): Label {
  const [first, ...others] = item.get('decoders').items();
  if (first === undefined) throw item.get('decoders').mustBe('a list of at least one decoder');
  const kind = first.get('name').text();
  const rest = others.map((decoder, i) => nextDecoder(decoder, (others[i - 1] ?? first).get('name').text()));
  const label = (type: FieldType, decode: Label['decode']): Label => ({
    field: { name, type, offset },
    isInteger: kind === 'uint' && rest.length === 0,
    decode: (raw, names) => applied(rest, decode(raw, names), names),
  });
  if (kind === 'uint') {
    if (!SIZES_OF_UINT.includes(size)) throw item.get('size').mustBe('1, 2, 4 or 8 for an unsigned integer');
    return label(`u${size * 8}` as FieldType, (raw) => raw);
  }
  if (kind === 'string') return label(`char[${size}]`, (raw) => raw);
  if (!Object.hasOwn(FIRST_DECODERS, kind)) throw unknownDecoder(first);
  const { sizes, decode } = FIRST_DECODERS[kind]!;
  if (sizes !== undefined && !sizes.fits(size)) {
    throw item.get('size').mustBe(`${sizes.allowed} for the decoder ${kind}`);
  }
  return label(`bytes[${size}]`, (raw, names) => decode(Buffer.from(raw, 'hex'), names));
}

function applied(
  decoders: readonly NextDecoder[],
  first: string | undefined,
  names: SystemNames,
): string | undefined {
  let text = first;
  for (const decode of decoders) {
    if (text === undefined) return undefined;
    text = decode(text, names);
  }
  return text;
}

/**
 * The attributes of a series from the fields of a key; `undefined` when a decoder leaves out the key.
 *
 * @param raw The fields, as a source of `@hdrscope/ebpf` reads them.
 */
export function decodeAttributes(
  labels: readonly Label[],
  raw: Attributes,
  names: SystemNames,
): Attributes | undefined {
  const decoded: [string, string | number][] = [];
  for (const { field, isInteger, decode } of labels) {
    const value = raw[field.name] as string | number;
    const text = decode(String(value), names);
    if (text === undefined) return undefined;
    decoded.push([field.name, isInteger ? value : text]);
  }
  return Object.freeze(Object.fromEntries(decoded));
}
