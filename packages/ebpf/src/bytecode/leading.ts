import type { Steps } from '@hdrscope/kit';
import { CALL_OF_PROGRAM, CLASS, distanceOfCall, LOAD_WIDE, WIDE } from './instructions.ts';
import type { MapFacts, ProgramCode } from './run.ts';

/** The maps whose counters are looked for, and the instructions from which a program may come to them. */
export interface MapTarget {
  isTarget(map: MapFacts): boolean;
  readonly leading: ReadonlySet<number>;
}

/** Finds the instructions from which a program may come to one that names the map. */
export function* findLeading(
  code: ProgramCode,
  isTarget: (map: MapFacts) => boolean,
): Steps<ReadonlySet<number>> {
  const { instructions } = code;
  const before = new Map<number, number[]>();
  const pending: number[] = [];
  const lead = (from: number, to: number) => {
    const known = before.get(to);
    if (known === undefined) before.set(to, [from]);
    else known.push(from);
  };
  for (const [at, { code: operation, from, offset, value }] of instructions.entries()) {
    yield;
    const isWide = operation === LOAD_WIDE;
    const isJump = [CLASS.JMP, CLASS.JMP32].some((jump) => jump === (operation & 7));
    const kind = isJump ? operation >> 4 : undefined;
    if (isWide && from === WIDE.FUNCTION) pending.push(at);
    if (isWide && (from === WIDE.MAP || from === WIDE.MAP_VALUE) && mentions(value)) pending.push(at);
    if (kind === 9) continue;
    if (kind === 8 && from === CALL_OF_PROGRAM) lead(at, at + 1 + distanceOfCall({ offset, value }));
    else if (kind !== undefined && kind !== 8) {
      lead(at, at + 1 + ((operation & 7) === CLASS.JMP32 && kind === 0 ? value : offset));
      if (kind === 0) continue;
    }
    lead(at, at + (isWide ? 2 : 1));
  }
  const leading = new Set<number>();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (leading.has(at)) continue;
    leading.add(at);
    yield;
    // Bounded: the instructions before one instruction, of a program that the kernel has taken.
    pending.push(...(before.get(at) ?? []));
  }
  return leading;

  function mentions(id: number): boolean {
    const map = code.mapFacts(id);
    return isTarget(map) || (map.holdsMaps && isTarget(code.innerFacts(id)));
  }
}
