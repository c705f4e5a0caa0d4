import type { Field, FieldType } from '../bpf/fields.ts';
import type { YamlValue } from './yaml-value.ts';

/** A label of ebpf_exporter as a field of a key. */
interface LabelField {
  readonly field: Field;
  /** Decoders that are left out. */
  readonly warnings: readonly string[];
}

const SIZES_OF_UINT: readonly number[] = [1, 2, 4, 8];

/** The fields of a key. Labels follow one another, each with its padding. */
export function labelFields(labels: YamlValue): LabelField[] {
  let offset = 0;
  return labels.items().map((label) => {
    const size = label.get('size').integer(1);
    const field = labelField(label, size, offset);
    offset += size + label.get('padding').integer(0, 0);
    return field;
  });
}

function labelField(label: YamlValue, size: number, offset: number): LabelField {
  const name = label.get('name').text();
  const [first, second, ...others] = label.get('decoders').items();
  if (first === undefined) throw label.get('decoders').mustBe('a list of at least one decoder');
  const kind = first.get('name').text();
  const warnings: string[] = [];
  const leaveOut = (decoder: YamlValue, kept: string): void => {
    const text = `line ${decoder.line}: the decoder ${decoder.get('name').text()} of ${name} is not supported, which leaves ${kept}`;
    warnings.push(text);
  };
  if (kind === 'uint') {
    if (!SIZES_OF_UINT.includes(size)) throw label.get('size').mustBe('1, 2, 4 or 8 for an unsigned integer');
    const type = `u${size * 8}` as FieldType;
    const isNamed = second?.get('name').text() === 'static_map';
    for (const decoder of isNamed ? others : [second, ...others]) {
      if (decoder !== undefined) leaveOut(decoder, isNamed ? 'the name' : 'the integer');
    }
    const field: Field = { name, type, offset };
    return { field: isNamed ? { ...field, names: namesOf(second!) } : field, warnings };
  }
  const isText = kind === 'string';
  const rest = [second, ...others].filter((decoder) => decoder !== undefined);
  if (!isText && kind !== 'hex') rest.unshift(first);
  for (const decoder of rest) leaveOut(decoder, isText ? 'the text' : 'its bytes in hexadecimal');
  const type: FieldType = isText ? `char[${size}]` : `bytes[${size}]`;
  return { field: { name, type, offset }, warnings };
}

function namesOf(decoder: YamlValue): ReadonlyMap<bigint, string> {
  return new Map(
    decoder
      .get('static_map')
      .entries()
      .map(([key, value]) => {
        if (!/^\d+$/.test(key)) throw value.mustBe('under an integer key, because it follows uint');
        return [BigInt(key), value.text()];
      }),
  );
}
