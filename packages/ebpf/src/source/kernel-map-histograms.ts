import type { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { Steps } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import { type Field, readField, readInteger, sizeOfField } from '../bpf/fields.ts';
import type { MapReader } from '../bpf/map-reader.ts';
import { isArray, type MapInfo, titleOfMap } from '../bpf/maps.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { type Counters, countersIn, is64 } from './kernel-map-counters.ts';
import type { ResolvedShape } from './kernel-map-shape.ts';
import type { KernelHistogram } from './source.ts';

/** Entries of a step: a fraction of a millisecond. */
const STEP_ENTRIES = 256;

/** Stand-ins for a slot: the index holds the sum, or the layout has no slot for it. */
const SUM = -1;
const NO_SLOT = -2;

/** Arrays that take no more memory than a reader has have fewer indices. */
const MOST_PLACES = 2 ** 26;

/** The entries of a map, one after the other. */
type Entries = Pick<MapReader, 'keys' | 'values' | 'cpuCount' | 'stride'>;

/** A map, and the histograms in it. */
interface MapDescription {
  /** Name of the histograms. */
  readonly name: string;
  readonly info: MapInfo;
  readonly shape: ResolvedShape;
  readonly layout: KernelLayout;
}

/**
 * Makes histograms from the entries of one map. It keeps the attributes of the last keys, because most keys come again.
 */
export class HistogramMaker {
  readonly #map: MapDescription;
  /** Slots by the indices of the program. */
  readonly #slots: ReadonlyMap<number, number>;
  /** The same for indices from 0 on, which most indices are. */
  readonly #lowSlots: Int32Array;
  /** Where the positions of a value that hold adjacent slots begin, and all other positions. */
  readonly #positions: { readonly isRun: boolean; readonly run: number; readonly others: readonly number[] };
  #attributes = new Map<string, Attributes>();
  readonly #slotIndex: (keys: Uint8Array, at: number) => number;
  /** The bytes of a key that are the slot, and nothing else. */
  readonly #slotBytes: { readonly from: number; readonly to: number } | undefined;

  /**
   * @throws HdrscopeError `ERR_KERNEL` when the map has no room for a slot of the layout; `ERR_INVALID_OPTION` when the
   *   sum is at the index of a slot.
   */
  constructor(map: MapDescription) {
    this.#map = map;
    const { layout, shape, info } = map;
    const indices = Array.from(
      { length: layout.slots.slotCount },
      (_, i) => layout.keys?.[i] ?? layout.firstIndex + i,
    );
    const slots = new Map(indices.map((index, slot) => [index, slot]));
    if (shape.sumIndex !== undefined) {
      if (slots.has(shape.sumIndex)) {
        throw mustBe(
          'ERR_INVALID_OPTION',
          'shape.sum',
          'an index that is not the index of a slot',
          shape.sumIndex,
        );
      }
      slots.set(shape.sumIndex, SUM);
    }
    this.#slots = slots;
    const places =
      shape.slotIn === 'value' ? shape.counts.length : shape.slotIn === 'index' ? info.maxEntries : 0;
    if (places > MOST_PLACES)
      throw mustBe('ERR_TOO_LARGE', `the indices of ${titleOfMap(info)}`, `at most ${MOST_PLACES}`, places);
    this.#lowSlots = Int32Array.from({ length: places }, (_, index) => slots.get(index) ?? NO_SLOT);
    const absent = [...slots.keys()].find((index) => index < 0 || index >= places);
    if (shape.slotIn !== 'key' && absent !== undefined) {
      throw kernelError(
        `the layout ${layout.name} counts at index ${absent}, and ${titleOfMap(info)} has indices from 0 to ${places - 1}: use the layout of its program`,
        { id: info.id, name: info.name, index: absent },
      );
    }
    const isRun = layout.keys === undefined;
    const run = layout.firstIndex;
    const isOther = (index: number) => !isRun || index < run || index >= run + indices.length;
    this.#positions = { isRun, run, others: [...this.#lowSlots.keys()].filter(isOther) };
    const { slotField } = shape;
    this.#slotIndex =
      slotField === undefined ? () => 0 : (keys, at) => Number(readInteger(slotField, keys, at));
    // A bit-field shares its bytes with attributes, so those keys are grouped by the values of the attributes.
    this.#slotBytes =
      slotField === undefined || slotField.bits !== undefined
        ? undefined
        : { from: slotField.offset, to: slotField.offset + sizeOfField(slotField) };
  }

  /** @throws HdrscopeError `ERR_KERNEL` when an index with counts has no slot in the layout, or a counter is above 2^53 − 1. */
  *make(entries: Entries, count: number): Steps<readonly KernelHistogram[]> {
    const histograms = yield* this.#withRawSums(entries, count);
    const { sumUnit } = this.#map.shape;
    if (sumUnit === 1) return histograms;
    return histograms.map((one) => ({ ...one, sums: one.sums?.map((sum) => sum * sumUnit) }));
  }

  #withRawSums(entries: Entries, count: number): Steps<readonly KernelHistogram[]> {
    const counters = countersIn(entries.values, this.#map.shape.counts.type, this.#map.info);
    switch (this.#map.shape.slotIn) {
      case 'index':
        return this.#ofIndices(entries, count, counters);
      case 'key':
        return this.#ofKeys(entries, count, counters);
      case 'value':
        return this.#ofValues(entries, count, counters);
    }
  }

  *#ofIndices(entries: Entries, count: number, counters: Counters): Steps<readonly KernelHistogram[]> {
    const histogram = this.#empty({}, entries.cpuCount);
    for (let index = 0; index < count; index++) {
      if (index % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      this.#add(histogram, this.#lowSlots[index]!, index, entries, index, counters);
    }
    return [histogram];
  }

  *#ofKeys(entries: Entries, count: number, counters: Counters): Steps<readonly KernelHistogram[]> {
    const { keySize } = this.#map.info;
    const groups = this.#newGroups(entries);
    for (let entry = 0; entry < count; entry++) {
      if (entry % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      const index = this.#slotIndex(entries.keys, entry * keySize);
      this.#add(groups.of(entry), this.#slots.get(index) ?? NO_SLOT, index, entries, entry, counters);
    }
    return groups.all();
  }

  *#ofValues(entries: Entries, count: number, counters: Counters): Steps<readonly KernelHistogram[]> {
    const { info, shape, layout } = this.#map;
    const { cpuCount, stride } = entries;
    const { slotCount } = layout.slots;
    const { offset } = shape.counts;
    const width = is64(shape.counts.type) ? 8 : 4;
    const slots = this.#lowSlots;
    const { isRun, run, others } = this.#positions;
    const isIndexed = isArray(info.type!);
    const groups = this.#newGroups(entries);
    for (let entry = 0; entry < count; entry++) {
      if (entry % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      // An array always has all its entries, so those without counts are left out.
      if (isIndexed && count > 1 && isZero(entries, entry)) continue;
      const { counts, sums } = groups.of(entry);
      for (let cpu = 0; cpu < cpuCount; cpu++) {
        const value = (entry * cpuCount + cpu) * stride;
        const from = cpu * slotCount;
        const first = value + offset + run * width;
        counters.addRun(first, isRun ? slotCount : 0, counts, from);
        for (const i of others) {
          const at = value + offset + i * width;
          const slot = slots[i]!;
          if (slot >= 0) counts[from + slot]! += counters.at(at);
          else if (slot === SUM) sums![cpu]! += counters.sumAt(at);
          else if (counters.at(at) !== 0) throw noSlotFor(this.#map, i);
        }
        if (shape.sumField !== undefined)
          sums![cpu]! += Number(readInteger(shape.sumField, entries.values, value));
      }
    }
    return groups.all();
  }

  /** Adds the counters of one entry, one for each CPU, to a slot. */
  #add(
    histogram: KernelHistogram,
    slot: number,
    index: number,
    entries: Entries,
    entry: number,
    counters: Counters,
  ): void {
    const { shape, layout } = this.#map;
    const { cpuCount, stride, values } = entries;
    const { slotCount } = layout.slots;
    const { counts, sums } = histogram;
    for (let cpu = 0; cpu < cpuCount; cpu++) {
      const value = (entry * cpuCount + cpu) * stride;
      const at = value + shape.counts.offset;
      if (slot >= 0) counts[cpu * slotCount + slot]! += counters.at(at);
      else if (slot === SUM) sums![cpu]! += counters.sumAt(at);
      else if (counters.at(at) !== 0) throw noSlotFor(this.#map, index);
      if (shape.sumField !== undefined) sums![cpu]! += Number(readInteger(shape.sumField, values, value));
    }
  }

  /** Groups entries by attributes. Keys that differ only in the slot or in padding belong to one histogram. */
  #newGroups(entries: Entries): { of(entry: number): KernelHistogram; all(): readonly KernelHistogram[] } {
    const { attributes: ofKey, valueAttributes: ofValue } = this.#map.shape;
    if (ofKey.length + ofValue.length === 0) {
      const only = this.#empty({}, entries.cpuCount);
      return { of: () => only, all: () => [only] };
    }
    const byKey = new Map<string, KernelHistogram>();
    const byAttributes = new Map<string, KernelHistogram>();
    const known = this.#attributes;
    const met = new Map<string, Attributes>();
    this.#attributes = met;
    const make = (entry: number, key: string): KernelHistogram => {
      const attributes = known.get(key) ?? this.#attributesOf(entries, entry);
      met.set(key, attributes);
      const text = JSON.stringify(attributes);
      const histogram = byAttributes.get(text) ?? this.#empty(attributes, entries.cpuCount);
      byAttributes.set(text, histogram);
      byKey.set(key, histogram);
      return histogram;
    };
    return {
      of: (entry) => {
        const key = this.#keyWithoutSlot(entries.keys, entry);
        return byKey.get(key) ?? make(entry, key);
      },
      all: () => [...byAttributes.values()],
    };
  }

  #keyWithoutSlot(keys: Uint8Array, entry: number): string {
    const at = entry * this.#map.info.keySize;
    const end = at + this.#map.info.keySize;
    const { from, to } = this.#slotBytes ?? { from: 0, to: 0 };
    const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
    return bytes.toString('latin1', at, at + from) + bytes.toString('latin1', at + to, end);
  }

  #attributesOf({ keys, values, cpuCount, stride }: Entries, entry: number): Attributes {
    const { info, shape } = this.#map;
    const at = entry * info.keySize;
    const ofKey = shape.attributes.map((field) => [field.name, readField(field, keys, at)] as const);
    const ofValue = shape.valueAttributes.map((field) => [field.name, ofFirstCpu(field)] as const);
    return Object.freeze(Object.fromEntries([...ofKey, ...ofValue]));

    function ofFirstCpu(field: Field): string | number | boolean {
      const parts = Array.from({ length: cpuCount }, (_, cpu) => (entry * cpuCount + cpu) * stride);
      const read = parts.map((part) => readField(field, values, part));
      return read.find((value) => value !== '' && value !== 0 && value !== false) ?? read[0]!;
    }
  }

  #empty(attributes: Attributes, cpuCount: number): KernelHistogram {
    const { name, shape, layout } = this.#map;
    const hasSum = shape.sumIndex !== undefined || shape.sumField !== undefined;
    return {
      name,
      attributes,
      layout,
      counts: new Float64Array(cpuCount * layout.slots.slotCount),
      sums: hasSum ? new Float64Array(cpuCount) : undefined,
    };
  }
}

function isZero({ values, cpuCount, stride }: Entries, entry: number): boolean {
  const size = cpuCount * stride;
  const part = values.subarray(entry * size, (entry + 1) * size);
  return part.every((byte) => byte === 0);
}

function noSlotFor({ info, layout }: MapDescription, index: number): HdrscopeError {
  return kernelError(
    `${titleOfMap(info)} counts at index ${index}, for which the layout ${layout.name} of ${layout.slots.slotCount} slots has no slot: use the layout of its program, and describe in \`shape\` where the program keeps a sum`,
    { id: info.id, name: info.name, index },
  );
}
