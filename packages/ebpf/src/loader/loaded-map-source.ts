import { HdrscopeError } from '@hdrscope/core';
import { MapReader } from '../bpf/map-reader.ts';
import { mapInfo } from '../bpf/maps.ts';
import { LITTLE_ENDIAN } from '../bpf/memory.ts';
import { loadBpf } from '../bpf/syscall.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { Frame, KernelSource } from '../source/source.ts';
import type { LoadedMap, LoadedProgram } from './load-program.ts';

/** Where the histogram is in a per-CPU array of counters of 64 bits. */
interface Shape {
  readonly layout: KernelLayout;
  /** Whether all slots are in one value, with their sum behind them, or each is a value of its own. */
  readonly inOneValue: boolean;
}

/**
 * The source for a map that this process has open. Opening it anew, by its id, would take CAP_SYS_ADMIN; this takes
 * nothing more than loading the program took.
 */
export function loadedMapSource(program: LoadedProgram, mapName: string, shape: Shape): KernelSource {
  const map = program.maps.get(mapName)!;
  const read = wordsOfMap(program, mapName);
  return {
    name: `the map ${map.name} (${map.id})`,
    read: async () => frameOf(map, shape, await read()),
    // The descriptor is the program's.
    close() {},
  };
}

/** A per-CPU map as words of 64 bits: for each entry the value of the first CPU, then that of the second, and so on. */
interface Words {
  readonly cpuCount: number;
  /** Exact below 2^53, which no counter reaches. */
  readonly at: (index: number) => number;
}

/** Reads a map that this process has open; each reading is of the same memory. */
export function wordsOfMap(program: LoadedProgram, mapName: string): () => Promise<Words> {
  const map = program.maps.get(mapName)!;
  let reader: MapReader | undefined;
  return async () => {
    const bpf = await loadBpf();
    // Its descriptor may be another file's by now.
    if (program.isClosed) throw new HdrscopeError('ERR_KERNEL', 'the program is closed');
    reader ??= new MapReader(bpf, mapInfo(bpf, map.fd));
    reader.read(map.fd);
    const halves = new Uint32Array(reader.values.buffer);
    const [low, high] = LITTLE_ENDIAN ? [0, 1] : [1, 0];
    return {
      cpuCount: reader.cpuCount,
      at: (index) => halves[index * 2 + low]! + halves[index * 2 + high]! * 2 ** 32,
    };
  };
}

function frameOf({ name, id }: LoadedMap, { layout, inOneValue }: Shape, { cpuCount, at }: Words): Frame {
  const { slotCount } = layout.slots;
  const counts = new Float64Array(cpuCount * slotCount);
  const sums = inOneValue ? new Float64Array(cpuCount) : undefined;
  for (let cpu = 0; cpu < cpuCount; cpu++) {
    const first = cpu * (slotCount + 1);
    for (let slot = 0; slot < slotCount; slot++) {
      counts[cpu * slotCount + slot] = at(inOneValue ? first + slot : slot * cpuCount + cpu);
    }
    if (sums !== undefined) sums[cpu] = at(first + slotCount);
  }
  return {
    generation: `map ${id}`,
    cpuCount,
    counterBits: 64,
    histograms: [{ name, attributes: {}, layout, counts, sums }],
  };
}
