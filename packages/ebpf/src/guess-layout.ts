import { isArray, type MapInfo } from './bpf/maps.ts';
import type { KernelLayout } from './layout/kernel-layout.ts';
import {
  bpftraceHistLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './layout/presets.ts';
import type { MapShape } from './source/kernel-map-shape.ts';

/** What the histograms of a map may be. It is no more than likely: the kernel does not know that they are histograms. */
export interface LayoutGuess {
  readonly layout: KernelLayout;
  /** What its types do not tell. */
  readonly shape: MapShape;
}

type Looks = Pick<MapInfo, 'type' | 'name' | 'keySize' | 'valueSize' | 'maxEntries'>;

/** What a map may be, by its name and its sizes; `undefined` where it does not look like histograms. */
export function guessLayout(map: Looks): LayoutGuess | undefined {
  const { type, name, keySize, valueSize, maxEntries } = map;
  if (type === undefined) return undefined;
  if (isArray(type) && valueSize === 8) {
    const layout = BY_SLOTS.get(maxEntries);
    return layout === undefined ? undefined : { layout: layout(), shape: {} };
  }
  // bpftrace calls its maps AT_ and the name of their variable.
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

// libbpf-tools: `struct hist { __u32 slots[26]; }`, some with `char comm[16]` behind; all slots, and their sum.
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

/** The slot is behind the keys of the script, whose types only the script tells. */
function keyOfBpftrace(keySize: number): NonNullable<MapShape['key']> {
  const slot = { name: 'slot', type: 'u64', offset: keySize - 8 } as const;
  return keySize === 8 ? [slot] : [{ name: 'key', type: `bytes[${keySize - 8}]`, offset: 0 }, slot];
}
