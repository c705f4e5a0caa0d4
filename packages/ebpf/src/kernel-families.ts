import {
  countedIn,
  fromTicks,
  hdrFit,
  type IntegerLayout,
  type Layout,
  mustBe,
  type Resolution,
  resolutionOf,
  scaledLayout,
  unitBoundaries,
} from '@hdrscope/core';
import {
  type Attributes,
  type CountedUnit,
  type Family,
  type Registry,
  type Scope,
  SHOWN_UNITS,
} from '@hdrscope/registry';
import type { KernelIncrease } from './counting/increase.ts';
import type { KernelLayout } from './layout/kernel-layout.ts';

/** How the histograms of a name become a family. */
export interface KernelFamilyOptions {
  /** The name of the family. @default that of the histograms */
  readonly name?: string;
  /** @default '' */
  readonly description?: string;
  /** What the program counts in: gives the family its unit, and the scale. @default 'none' */
  readonly kernelUnit?: CountedUnit;
  /** The family's unit, such as `{thread}`. @default as the kernel's unit is shown: `s`, `By`, or '' */
  readonly unit?: string;
  /** How many of the family's unit one of the kernel's is: above 0. @default as the kernel's unit is shown */
  readonly scale?: number;
  /** Added to the attributes of each histogram, and taken before them. @default none */
  readonly attributes?: Attributes;
  /**
   * Whether each CPU has a series of its own, with the attribute `cpu`: its place among all CPUs that the machine may
   * have, from 0. @default false
   */
  readonly perCpu?: boolean;
  /** Decimal digits, from 0 to 5. @default the fewest that keep the slots of the kernel apart */
  readonly significantDigits?: number;
  /** Boundaries that explicit buckets take, in the family's unit. @default the bounds of the kernel's slots */
  readonly boundaries?: readonly number[];
  /** As in the registry's `FamilyOptions`. */
  readonly cardinalityLimit?: number;
  /** As in the registry's `FamilyOptions`. */
  readonly scope?: Scope;
}

/** What histograms of a name are added to. */
interface Target {
  readonly family: Family;
  readonly resolution: Resolution;
  readonly perCpu: boolean;
  readonly attributes: Attributes;
}

/** The families that the histograms of a source go to, made when they are first seen. */
export class KernelFamilies {
  readonly #registry: Registry;
  readonly #optionsOf: (name: string) => KernelFamilyOptions;
  /** By the name of the histograms. */
  readonly #targets = new Map<string, Target>();
  /** The kernel's layouts in the unit of a family, so that what is computed for one is computed once. */
  readonly #inUnit = new WeakMap<IntegerLayout, Map<string, Layout>>();
  #open = 0;
  #inexact = 0;

  constructor(registry: Registry, optionsOf: (name: string) => KernelFamilyOptions) {
    this.#registry = registry;
    this.#optionsOf = optionsOf;
  }

  /** How many values were in slots that are open on a side. */
  get open(): number {
    return this.#open;
  }

  /** How many values were in slots that their family does not keep apart. */
  get inexact(): number {
    return this.#inexact;
  }

  /** @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_ALREADY_REGISTERED`, `ERR_COUNT_OVERFLOW` */
  add(increase: KernelIncrease): void {
    const target = this.#targetOf(increase);
    const { layout, cpuCount, counts, sums } = increase;
    const { slotCount } = layout.slots;
    const attributes = { ...increase.attributes, ...target.attributes };
    if (target.perCpu) {
      for (let cpu = 0; cpu < cpuCount; cpu++) {
        const ofCpu = counts.subarray(cpu * slotCount, (cpu + 1) * slotCount);
        const sum = sums?.[cpu];
        if (!sum && ofCpu.every((count) => count === 0)) continue;
        this.#addCounts(target, layout, { ...attributes, cpu }, ofCpu, sum);
      }
    } else {
      const sum = sums?.reduce((left, right) => left + right, 0);
      this.#addCounts(target, layout, attributes, sumOfCpus(counts, slotCount), sum);
    }
  }

  #addCounts(
    { family, resolution }: Target,
    { slots }: KernelLayout,
    attributes: Attributes,
    counts: Float64Array,
    sum: number | undefined,
  ): void {
    family.with(attributes).add(countedIn(this.#layoutInUnit(slots, resolution), counts), {
      sum: sum === undefined ? undefined : fromTicks(resolution, sum),
    });
    const { significantDigits, isExact } = hdrFit(slots);
    // A layout that is learnt may turn out finer than it seemed.
    if (!isExact || significantDigits > family.layout.significantDigits) {
      this.#inexact += counts.reduce((left, right) => left + right, 0);
    }
    if (!Number.isFinite(slots.lower(0))) this.#open += counts[0]!;
    this.#open += counts[counts.length - 1]!;
  }

  #layoutInUnit(layout: IntegerLayout, resolution: Resolution): Layout {
    const key = `${resolution.unitsPerTick} ${resolution.ticksPerUnit}`;
    const byResolution = this.#inUnit.get(layout) ?? new Map<string, Layout>();
    this.#inUnit.set(layout, byResolution);
    const known = byResolution.get(key) ?? scaledLayout(layout, resolution);
    byResolution.set(key, known);
    return known;
  }

  #targetOf({ name, layout }: KernelIncrease): Target {
    const known = this.#targets.get(name);
    if (known !== undefined) return known;
    const options = this.#optionsOf(name);
    const { kernelUnit = 'none', attributes = {}, perCpu = false } = options;
    if (!Object.hasOwn(SHOWN_UNITS, kernelUnit)) {
      const allowed = Object.keys(SHOWN_UNITS).join(', ');
      throw mustBe('ERR_INVALID_OPTION', 'kernelUnit', `one of ${allowed}`, kernelUnit);
    }
    const { unit = SHOWN_UNITS[kernelUnit].unit, scale = SHOWN_UNITS[kernelUnit].scale } = options;
    const resolution = resolutionOf(scale);
    const { significantDigits = hdrFit(layout.slots).significantDigits } = options;
    const family = this.#registry.histogram({
      name: options.name ?? name,
      unit,
      description: options.description ?? '',
      resolution: scale,
      significantDigits,
      boundaries: options.boundaries ?? unitBoundaries(layout.slots, resolution),
      ...(options.cardinalityLimit !== undefined && { cardinalityLimit: options.cardinalityLimit }),
      ...(options.scope !== undefined && { scope: options.scope }),
    });
    const target = { family, resolution, perCpu, attributes };
    this.#targets.set(name, target);
    return target;
  }
}

function sumOfCpus(counts: Float64Array, slotCount: number): Float64Array {
  if (counts.length === slotCount) return counts;
  const sums = new Float64Array(slotCount);
  for (let i = 0; i < counts.length; i++) sums[i % slotCount]! += counts[i]!;
  return sums;
}
