import { MapReader } from '../bpf/map-reader.ts';
import { mapInfo } from '../bpf/maps.ts';
import { LITTLE_ENDIAN } from '../bpf/memory.ts';
import { loadBpf } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { Frame, KernelSource } from '../source/source.ts';
import type { LoadedMap, LoadedProgram } from './load-program.ts';

/** Position of the histogram in a per-CPU array of counters of 64 bits. */
interface Shape {
  readonly layout: KernelLayout;
  /** Whether one value holds all slots and the sum behind them. Otherwise each slot has its own value. */
  readonly inOneValue: boolean;
}

/**
 * A source for a map that this process has open. Opening it again by its id would take CAP_SYS_ADMIN. This takes no more
 * rights than loading the program.
 */
export function loadedMapSource(program: LoadedProgram, mapName: string, shape: Shape): KernelSource {
  const map = program.maps.get(mapName)!;
  const read = wordsOfMap(program, mapName);
  return {
    name: `the map ${map.name} (${map.id})`,
    read: async () => frameOf(map, shape, await read()),
    // The program closes the descriptor.
    close() {},
  };
}

/** A per-CPU map as words of 64 bits: for each entry the value on the first CPU, then on the second CPU, and so on. */
interface Words {
  readonly cpuCount: number;
  /** The word at an index. It is exact below 2^53, which no counter reaches. */
  readonly at: (index: number) => number;
}

/** Reads a map that this process has open. Each call overwrites the words of the last call. */
export function wordsOfMap(program: LoadedProgram, mapName: string): () => Promise<Words> {
  const map = program.maps.get(mapName)!;
  let reader: MapReader | undefined;
  return async () => {
    const bpf = await loadBpf();
    // After the program is closed, its descriptor may belong to another file.
    if (program.isClosed) throw kernelError('the program is closed');
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
