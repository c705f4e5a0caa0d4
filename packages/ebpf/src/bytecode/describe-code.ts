import type { Steps } from '@hdrscope/kit';
import { LOAD_WIDE, WIDE } from './instructions.ts';
import type { MapFacts, ProgramCode } from './run.ts';

/**
 * A text that programs share only if they do the same with maps that are alike and play the same roles, so that what is measured of one
 * is true of all. The numbers of maps differ each time that a program is loaded, and nothing else does.
 */
export function* describeCode(code: ProgramCode, isTarget: (map: MapFacts) => boolean): Steps<string> {
  const roles = new Map<number, number>();
  let lines = '';
  for (const { code: operation, to, from, offset, value } of code.instructions) {
    const isMap = operation === LOAD_WIDE && (from === WIDE.MAP || from === WIDE.MAP_VALUE);
    if (isMap && !roles.has(value)) roles.set(value, roles.size);
    lines += `${operation} ${to} ${from} ${offset} ${isMap ? roles.get(value)! : value}\n`;
    yield;
  }
  const maps = [...roles.keys()].map((id) => {
    const map = code.mapFacts(id);
    return map.holdsMaps ? [describeMap(map), describeMap(code.innerFacts(id))] : [describeMap(map)];
  });
  return `${JSON.stringify(maps)}\n${lines}`;

  function describeMap(map: MapFacts): string {
    const { id, constants = [], ...facts } = map;
    return JSON.stringify([facts, constants.join(' '), isTarget(map)]);
  }
}
