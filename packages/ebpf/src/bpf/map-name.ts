import { type BtfType, resolveBtf } from './btf.ts';
import { keptName } from './kept-name.ts';

/** Facts about a map that distinguish it from other maps of its program. */
export interface MapInBtf {
  /** The first 15 bytes of its name. */
  readonly name: string;
  readonly keyTypeId: number;
  readonly valueTypeId: number;
  readonly maxEntries: number;
}

/**
 * The whole name of a map, of which the kernel keeps 15 bytes: the variable of its program in the section `.maps`.
 *
 * @returns `undefined` when no variable fits, or several do.
 */
export function mapNameInBtf(types: readonly BtfType[], map: MapInBtf): string | undefined {
  const inMaps = types.flatMap((type) =>
    type.kind === 'section' && type.name === '.maps' ? type.variables : [],
  );
  const called = inMaps.flatMap(({ type }) => {
    const variable = types[type];
    return variable?.kind === 'variable' && keptName(variable.name) === map.name ? [variable] : [];
  });
  const fitting = called.filter(({ type }) => hasTypes(types, type, map));
  if (fitting.length < 2) return fitting[0]?.name;
  // A loader may set another number of entries, so it matters only where the types do not decide.
  const sized = fitting.filter(({ type }) => entriesOf(types, type) === map.maxEntries);
  return sized.length === 1 ? sized[0]!.name : undefined;
}

/** The number of entries in the definition of a map: `__uint(max_entries, N)` is a pointer to an array of that length. */
function entriesOf(types: readonly BtfType[], definition: number): number | undefined {
  const type = resolveBtf(types, definition);
  const member = type.kind === 'struct' ? type.members.find(({ name }) => name === 'max_entries') : undefined;
  const pointer = member === undefined ? undefined : resolveBtf(types, member.type);
  const array = pointer?.kind === 'pointer' ? resolveBtf(types, pointer.type) : undefined;
  return array?.kind === 'array' ? array.length : undefined;
}

/** Whether the definition of a map, `struct { __type(key, …); __type(value, …); }`, has the types of a map. */
function hasTypes(types: readonly BtfType[], definition: number, map: MapInBtf): boolean {
  const type = resolveBtf(types, definition);
  if (type.kind !== 'struct') return false;
  return type.members.every(({ name, type: member }) => {
    if (name !== 'key' && name !== 'value') return true;
    const pointer = resolveBtf(types, member);
    return pointer.kind === 'pointer' && pointer.type === (name === 'key' ? map.keyTypeId : map.valueTypeId);
  });
}
