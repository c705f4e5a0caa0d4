import { HdrscopeError } from '@hdrscope/core';
import { type Attributes, canonicalText } from '../attributes.ts';
import { alreadyRegistered, type Family, type FamilyOptions } from '../family.ts';
import type { Registry } from '../registry.ts';
import type { Series } from '../series.ts';
import { familyKey } from '../snapshot.ts';
import { increaseSince } from './increase.ts';
import type { ReceivedFamily, ReceivedSeries, ReceivedState } from './wire.ts';

/** What is in the registry already of a series of a remote registry. */
interface Counted {
  readonly series: Series;
  /** Its last known state. The histogram stays encoded: that is small, and tells at a glance that nothing is new. */
  readonly last: ReceivedSeries;
}

/** What is in the registry already of a remote registry. */
interface Instance {
  /** Of the last state that was taken. */
  sequence: number;
  readonly series: Map<string, Counted>;
}

/**
 * How many remote registries without a way to them are remembered: such a one may come back by another port, and must
 * not be counted anew then. What they counted stays in any case.
 */
const MOST_UNREACHABLE = 16;

/**
 * What remote registries have counted, as far as it is in a registry. States are cumulative, so of each only the increase
 * is added: a remote that is gone has left all it told, and one that is new adds all it has.
 */
export class RemoteStates {
  readonly #registry: Registry;
  readonly #instances = new Map<string, Instance>();
  /** In the order in which they were lost; at most `MOST_UNREACHABLE`. */
  readonly #unreachable = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Brings the registry up to a state. Tells what of it could not be taken; the rest is. */
  take(state: ReceivedState, attributes: Attributes): unknown[] {
    const instance = this.#instanceOf(state);
    if (state.sequence <= instance.sequence) return [];
    instance.sequence = state.sequence;
    return state.families.flatMap((family) => this.#takeFamily(instance, family, attributes));
  }

  /** Takes note that there is no way to an instance any more. */
  lose(instance: string): void {
    this.#unreachable.delete(instance);
    this.#unreachable.add(instance);
    for (const longest of this.#unreachable) {
      if (this.#unreachable.size <= MOST_UNREACHABLE) return;
      this.#unreachable.delete(longest);
      this.#instances.delete(longest);
    }
  }

  #instanceOf({ instance: name }: ReceivedState): Instance {
    this.#unreachable.delete(name);
    let instance = this.#instances.get(name);
    if (instance === undefined) {
      instance = { sequence: 0, series: new Map() };
      this.#instances.set(name, instance);
    }
    return instance;
  }

  #takeFamily(instance: Instance, received: ReceivedFamily, attributes: Attributes): unknown[] {
    let family: Family;
    try {
      family = familyFor(this.#registry, received);
    } catch (error) {
      return [error];
    }
    const problems: unknown[] = [];
    const seen = new Set<string>();
    for (const now of received.series) {
      try {
        const key = keyOf(received, now, seen);
        const known = instance.series.get(key);
        const part = increaseSince(known?.last, now, family);
        if (part === undefined) continue;
        const series = known?.series ?? family.with({ ...now.attributes, ...attributes });
        series.addPart(part);
        // Only now: what could not be added is still to be added.
        instance.series.set(key, { series, last: now });
      } catch (cause) {
        problems.push(inSeries(received.name, now.attributes, cause));
      }
    }
    return problems;
  }
}

/** The family of the same name, which must count alike; made if need be. */
function familyFor(registry: Registry, received: ReceivedFamily): Family {
  const { scope, boundaries, series, ...rest } = received;
  const options: FamilyOptions = { ...rest, ...(scope && { scope }), ...(boundaries && { boundaries }) };
  const known = registry.family(options);
  if (known === undefined) return registry.histogram(options);
  const conflict = conflictOf(known, received);
  if (conflict !== undefined) throw alreadyRegistered(received.name, conflict);
  return known;
}

// The limit of series and the description are not in the way of adding counts.
function conflictOf({ unit, resolution, layout }: Family, received: ReceivedFamily): string | undefined {
  const step = resolution.unitsPerTick / resolution.ticksPerUnit;
  if (unit !== received.unit) return `unit ${JSON.stringify(unit)}, got ${JSON.stringify(received.unit)}`;
  // Fractions come back from their quotient to the last bit or so.
  if (Math.abs(received.resolution / step - 1) > 1e-12) {
    return `resolution ${step}, got ${received.resolution}`;
  }
  if (layout.significantDigits !== received.significantDigits) {
    return `significantDigits ${layout.significantDigits}, got ${received.significantDigits}`;
  }
  return undefined;
}

/** What a series of an instance is known by. Attributes of a kind that is sent as text may read alike: the order tells. */
function keyOf(family: ReceivedFamily, { attributes }: ReceivedSeries, seen: Set<string>): string {
  const text = canonicalText(attributes);
  let nth = 0;
  while (seen.has(`${text} ${nth}`)) nth++;
  seen.add(`${text} ${nth}`);
  return `${familyKey(family)} ${text} ${nth}`;
}

function inSeries(name: string, attributes: Attributes, cause: unknown): HdrscopeError {
  const { code = 'ERR_DECODE', message } = cause as Partial<HdrscopeError>;
  return new HdrscopeError(code, `the series ${canonicalText(attributes)} of "${name}": ${message}`, {
    cause,
  });
}
