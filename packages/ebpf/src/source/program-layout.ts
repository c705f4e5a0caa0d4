import type { BtfType } from '../bpf/btf.ts';
import type { Field } from '../bpf/fields.ts';
import { isArray, type MapInfo } from '../bpf/maps.ts';
import { fieldsOfKey, fieldsOfValue, isArrayField, isCounter, usualSlotField } from './kernel-map-shape.ts';
import { type LoadedPrograms, type MeasuredLayout, titleOf } from './loaded-programs.ts';
import type { KnownLayout, MapShape } from './map-shape.ts';
import type { VariableArray } from './variable-array.ts';

/** A map whose layout its programs may show. */
export interface ProgramQuestion {
  readonly programs: LoadedPrograms;
  /** The array of structs in a map of global variables that is read as a map. @default the map itself */
  readonly variable?: VariableArray;
  /** Id of the map of maps that the map is in. @default it is in no other map */
  readonly outerId?: number;
}

/**
 * Finds the layout of a map in the instructions of the programs that count in it.
 *
 * @param info The map, or the variable in it.
 * @returns The layout, or the reason why the programs do not show it.
 */
export async function layoutByPrograms(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
  { programs, variable, outerId }: ProgramQuestion,
): Promise<KnownLayout | { readonly why: string }> {
  const begin = variable?.offset ?? 0;
  const arrays = fieldsOfValue(info, types).filter(isArrayField).filter(isCounter);
  const { valueSize } = info;
  const end = begin + valueSize * (variable === undefined ? 1 : info.maxEntries);
  const placeInFirst = (offset: number): number | undefined =>
    offset < begin || offset >= end ? undefined : begin + ((offset - begin) % valueSize);
  const beginOf = (counter: number): number | undefined => {
    const at = (placeInFirst(counter) ?? Number.NaN) - begin;
    const own = arrays.find(
      ({ offset, type, length }) => at >= offset && at < offset + length * widthOf(type),
    );
    return own && own.offset + begin;
  };
  const keyFields = fieldsOfKey(info, types);
  const slotField = usualSlotField(keyFields);
  const finding = await programs.findLayout({
    info,
    elementBytes: valueSize,
    ...{ placeInFirst, beginOf },
    ...(arrays.length > 0 && { isSlotAt: (offset) => beginOf(offset) !== undefined }),
    slotPlaces: JSON.stringify([
      begin,
      end,
      arrays.map(({ offset, type, length }) => [offset, type, length]),
    ]),
    ...(slotField !== undefined && { slotOffset: slotField.offset }),
    ...(outerId !== undefined && { outerId }),
  });
  if ('why' in finding) return finding;
  const { found } = finding;
  const shape = shapeOf(info, found, { keyFields, begin, beginOf });
  return 'why' in shape ? shape : { layout: found.layout, shape, ground: groundOf(found) };
}

function widthOf(type: string): 4 | 8 {
  return type.endsWith('64') ? 8 : 4;
}

function groundOf({ text, divisor, program, measured: { isCut } }: MeasuredLayout): string {
  const notes = [
    ...(isCut ? ['the lowest 32 bits of the value'] : []),
    ...(divisor === 1n ? [] : [`the value divided by ${Number(divisor).toLocaleString('en-US')}`]),
  ];
  const of = notes.length === 0 ? '' : ` of ${notes.join(', ')}`;
  return `measured from ${titleOf(program)}: it counts as ${text}${of}`;
}

interface Places {
  readonly keyFields: readonly Field[];
  readonly begin: number;
  beginOf(counter: number): number | undefined;
}

/** The position of the counters where the program counts. */
function shapeOf(
  info: MapInfo,
  { layout, divisor, measured: { place, sum } }: MeasuredLayout,
  { keyFields, begin, beginOf }: Places,
): MapShape | { readonly why: string } {
  const type = place.counterSize === 8 ? 'u64' : 'u32';
  if (place.counterSize !== 8 && place.counterSize !== 4) {
    return { why: `its counters have ${place.counterSize} bytes` };
  }
  const key = keyFields.length > 0 || isIndexed(info) ? {} : { key: plainKey(info, place) };
  const sumUnit = sum === undefined ? 1 : Number(sum.unit) / Number(divisor);
  if (place.in === 'key') {
    return {
      ...{ ...key, sumUnit },
      counts: { type, offset: place.counterOffset - begin },
      ...(key.key !== undefined && { slot: 'slot' }),
      ...(sum !== undefined && 'slot' in sum && { sum: Number(sum.slot) }),
    };
  }
  const offset = (beginOf(place.offset) ?? place.offset) - begin;
  const last = layout.keys?.at(-1) ?? layout.firstIndex + layout.slots.slotCount - 1;
  const inSum = sum !== undefined && 'offset' in sum ? sum : undefined;
  const sumField: Field | undefined = inSum && {
    ...{ name: 'sum', type: inSum.size === 8 ? 'u64' : 'u32', offset: inSum.offset - begin },
  };
  return {
    ...{ ...key, sumUnit },
    counts: { type, offset, length: last + 1 },
    ...(sumField !== undefined && { sum: sumField }),
  };
}

function isIndexed({ type }: MapInfo): boolean {
  return type !== undefined && isArray(type);
}

/** The fields of a key without types: the slot, and the bytes before and after it. */
function plainKey({ keySize }: MapInfo, place: MeasuredLayout['measured']['place']): readonly Field[] {
  if (place.in === 'value') return [bytesField('key', 0, keySize)];
  const { offset, size } = place;
  const end = offset + size;
  return [
    ...(offset > 0 ? [bytesField('key', 0, offset)] : []),
    { name: 'slot', type: `u${(8 * size) as 8 | 16 | 32 | 64}`, offset },
    ...(end < keySize ? [bytesField('rest', end, keySize - end)] : []),
  ];
}

function bytesField(name: string, offset: number, size: number): Field {
  return { name, type: size === 4 ? 'u32' : size === 8 ? 'u64' : `bytes[${size}]`, offset };
}
