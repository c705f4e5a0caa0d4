import type { GatherOptions } from './registry.ts';
import type { FamilyFacts, ShownRegistry } from './shown.ts';

/** A registry beside an SDK of OpenTelemetry. Each copy of the SDK has a `Producer` type of its own. */
export interface RegistrySource<Producer> {
  /** The SDK's own producer, whose collections lack the registry's histograms. */
  readonly producer: Producer;
  /** `readShown` of the registry. */
  read(limits: GatherOptions, wantsStates: (family: FamilyFacts) => boolean): Promise<ShownRegistry>;
  /** How the points of a family look. */
  settingsOf(family: FamilyFacts): {
    /** The most native buckets: an integer of at least 2. */
    readonly maxSize: number;
    /** The finest scale. @default the scale that the digits of the family justify */
    readonly maxScale?: number | undefined;
    /** The boundaries when the reader's buckets are explicit. */
    readonly boundaries: readonly number[];
  };
}

/** A metric reader that shows the histograms of a registry without a detour through OpenTelemetry's points. */
export interface RegistryReader<Producer> {
  setRegistrySource(source: RegistrySource<Producer>): void;
}

/** Recognises a reader by its method. Its class proves nothing, because an application may have several copies of the reader's package. */
export function isRegistryReader<Producer>(reader: object): reader is RegistryReader<Producer> {
  return typeof (reader as Partial<RegistryReader<Producer>>).setRegistrySource === 'function';
}
