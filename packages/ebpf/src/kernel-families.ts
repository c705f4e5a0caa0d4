import {
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
import { countsOfCpus, type KernelTotals, sumOfCpus } from './cpu-counts.ts';

/** How the histograms of one name become a family. */
export interface KernelFamilyOptions {
  /** Name of the family. @default the name of the histograms */
  readonly name?: string;
  /** Description of the family. @default '' */
  readonly description?: string;
  /** Unit in which the program counts. It sets the unit and scale of the family. @default 'none' */
  readonly kernelUnit?: CountedUnit;
  /** Unit of the family, such as `{thread}`. @default the unit that shows `kernelUnit`: `s`, `By` or '' */
  readonly unit?: string;
  /** Size of one unit of the kernel in units of the family: above 0. @default the scale of `kernelUnit` */
  readonly scale?: number;
  /** Attributes of every series. They take precedence over attributes of the histograms. @default no attributes */
  readonly attributes?: Attributes;
  /**
   * Whether each CPU has its own series, with the attribute `cpu`: its position among the possible CPUs of the machine,
   * from 0. @default false
   */
  readonly perCpu?: boolean;
  /** Significant decimal digits, from 0 to 5. @default the fewest that keep the slots of the kernel apart */
  readonly significantDigits?: number;
  /** Boundaries of explicit buckets, in the unit of the family. @default the bounds of the kernel's slots */
  readonly boundaries?: readonly number[];
  /** See `FamilyOptions` of the registry. */
  readonly cardinalityLimit?: number;
  /** See `FamilyOptions` of the registry. */
  readonly scope?: Scope;
}

/** The family of the histograms of one name. */
interface Target {
  readonly family: Family;
  readonly resolution: Resolution;
  readonly perCpu: boolean;
  readonly attributes: Attributes;
}

/** The families of the histograms of a source. Each is made when its first histogram arrives. */
export class KernelFamilies {
  readonly #registry: Registry;
  readonly #optionsOf: (name: string) => KernelFamilyOptions;
  /** Targets by the names of histograms. */
  readonly #targets = new Map<string, Target>();
  /** Kernel layouts in the units of families. One object for each, so what is computed for a layout is computed once. */
  readonly #inUnit = new WeakMap<IntegerLayout, Map<string, Layout>>();
  #open = 0;
  #inexact = 0;

  constructor(registry: Registry, optionsOf: (name: string) => KernelFamilyOptions) {
    this.#registry = registry;
    this.#optionsOf = optionsOf;
  }

  /** Number of values in slots that are open on a side. */
  get open(): number {
    return this.#open;
  }

  /** Number of values in slots that their family does not keep apart. */
  get inexact(): number {
    return this.#inexact;
  }

  /**
   * Adds an increase to its family.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_ALREADY_REGISTERED` when the family cannot be made;
   *   `ERR_INVALID_COUNT`, `ERR_COUNT_OVERFLOW` when counts are not exact integers.
   */
  add(increase: KernelIncrease): void {
    const target = this.#targetOf(increase);
    const attributes = { ...increase.attributes, ...target.attributes };
    if (!target.perCpu) {
      this.#addTotals(target, attributes, sumOfCpus(increase));
      return;
    }
    for (const [cpu, totals] of countsOfCpus(increase).entries()) {
      if (totals.counts.total > 0 || totals.sum) this.#addTotals(target, { ...attributes, cpu }, totals);
    }
  }

  #addTotals(
    { family, resolution }: Target,
    attributes: Attributes,
    { layout, counts, sum }: KernelTotals,
  ): void {
    const counted = { layout: this.#layoutInUnit(layout, resolution), counts };
    family.with(attributes).add(counted, sum === undefined ? {} : { sum: fromTicks(resolution, sum) });
    const { significantDigits, isExact } = hdrFit(layout);
    // A layout that a source finds out later may be finer than the first one.
    if (!isExact || significantDigits > family.layout.significantDigits) this.#inexact += counts.total;
    if (!Number.isFinite(layout.lower(0))) this.#open += counts.at(0);
    this.#open += counts.at(counts.length - 1);
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
