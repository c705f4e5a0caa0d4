import { Budget } from '@hdrscope/kit';
import { type BtfType, DEEPEST_TYPE, resolveBtf, sizeOfBtf } from '../bpf/btf.ts';
import { fieldsOfBtf } from '../bpf/fields.ts';
import type { MapReader } from '../bpf/map-reader.ts';
import type { MapInfo } from '../bpf/maps.ts';
import { allocate } from '../bpf/memory.ts';
import { isArrayField, isCounter } from './kernel-map-shape.ts';

/** An array of structs in the global variables of a program, as a map of its own. */
export interface VariableArray {
  /** An array with a value for each element of the variable. */
  readonly info: MapInfo;
  /** Where the variable begins in the value of the map, in bytes. */
  readonly offset: number;
}

/**
 * Finds the only array of histograms among the global variables of a program: `struct hist hists[N]` in `.bss`, as in `runqlen`,
 * `softirqs` and `fsdist` of libbpf-tools. The types of the map state its place, its length and its counters.
 *
 * @returns `undefined` when the map holds no variables, or not exactly one array of structs with one array of counters each.
 */
export function findVariableArray(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
): VariableArray | undefined {
  if (types === undefined || info.valueTypeId === 0 || info.type !== 'array' || info.maxEntries !== 1) {
    return undefined;
  }
  const section = resolveBtf(types, info.valueTypeId);
  if (section.kind !== 'section') return undefined;
  const found = section.variables.flatMap(({ type, offset }): VariableArray[] => {
    const array = resolveBtf(types, type);
    if (array.kind !== 'array' || resolveBtf(types, array.element).kind !== 'struct') return [];
    const counters = fieldsOfBtf(types, array.element, 'value').filter(isArrayField).filter(isCounter);
    const budget = new Budget('the types of a map (BTF)', { depth: DEEPEST_TYPE });
    const valueSize = sizeOfBtf(types, array.element, budget);
    const end = offset + valueSize * array.length;
    if (counters.length !== 1 || array.length === 0 || end > info.valueSize) return [];
    return [{ info: { ...info, valueSize, maxEntries: array.length, valueTypeId: array.element }, offset }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The elements of a variable as entries of a map, of the last `read` of the map. */
export function readElements(
  { values }: Pick<MapReader, 'values'>,
  { info: { valueSize, maxEntries }, offset }: VariableArray,
): Pick<MapReader, 'keys' | 'values' | 'cpuCount' | 'stride'> {
  const keys = allocate(maxEntries * 4);
  new Uint32Array(keys.buffer).set(Array.from({ length: maxEntries }, (_, index) => index));
  return {
    keys,
    values: values.subarray(offset, offset + maxEntries * valueSize),
    cpuCount: 1,
    stride: valueSize,
  };
}
