import { isArray, type MapInfo } from './bpf/maps.ts';
import type { KernelLayout } from './layout/kernel-layout.ts';
import {
  bpftraceHistLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './layout/presets.ts';
import type { MapShape } from './source/kernel-map-shape.ts';

/** The likely layout of the histograms in a map. The kernel does not know that they are histograms. */
export interface LayoutGuess {
  readonly layout: KernelLayout;
  /** The part of its shape that its types do not show. */
  readonly shape: MapShape;
}

type MapFacts = Pick<MapInfo, 'type' | 'name' | 'keySize' | 'valueSize' | 'maxEntries'>;

/** Guesses the layout of a map by its name and sizes; `undefined` when it does not look like histograms. */
export function guessLayout(map: MapFacts): LayoutGuess | undefined {
  const { type, name, keySize, valueSize, maxEntries } = map;
  if (type === undefined) return undefined;
  if (isArray(type) && valueSize === 8) {
    const layout = BY_SLOTS.get(maxEntries);
    return layout === undefined ? undefined : { layout: layout(), shape: {} };
  }
  // bpftrace names its maps AT_ and the name of their variable.
  if (type === 'percpu_hash' && name.startsWith('AT_') && valueSize === 8 && keySize % 8 === 0) {
    return { layout: bpftraceHistLayout(), shape: { key: keyOfBpftrace(keySize) } };
  }
  const inValue = BY_VALUE_BYTES.find(([bytes]) => bytes.includes(valueSize));
  return inValue === undefined ? undefined : { layout: inValue[1](), shape: shapeOfValue(valueSize) };
}

const BY_SLOTS: ReadonlyMap<number, () => KernelLayout> = new Map([
  [8, queueDepthLayout],
  [26, () => libbpfToolsLayout()],
  [496, () => logLinear8Layout()],
]);

// libbpf-tools: `struct hist { __u32 slots[26]; }`, some with `char comm[16]` behind it. Log-linear: 496 slots, some with
// the sum behind them.
const BY_VALUE_BYTES: readonly (readonly [readonly number[], () => KernelLayout])[] = [
  [[26 * 4, 26 * 4 + 16], () => libbpfToolsLayout()],
  [[496 * 8, 497 * 8], () => logLinear8Layout()],
];

function shapeOfValue(valueSize: number): MapShape {
  switch (valueSize) {
    case 26 * 4 + 16:
      return {
        counts: { type: 'u32', length: 26 },
        valueAttributes: [{ name: 'comm', type: 'char[16]', offset: 26 * 4 }],
      };
    case 497 * 8:
      return { counts: { type: 'u64', length: 497 }, sum: 'after-last' };
    default:
      return {};
  }
}

/** The slot follows the keys of the script. Only the script has the types of the keys. */
function keyOfBpftrace(keySize: number): NonNullable<MapShape['key']> {
  const slot = { name: 'slot', type: 'u64', offset: keySize - 8 } as const;
  return keySize === 8 ? [slot] : [{ name: 'key', type: `bytes[${keySize - 8}]`, offset: 0 }, slot];
}
