import { mustBe } from '@hdrscope/core';
import { type Clock, systemClock } from '@hdrscope/registry';
import type { MetricIdentity, ReceivedFamilyOptions } from './families.ts';
import type { IntoRegistryOptions } from './into-registry.ts';

/** How OTLP is received. */
export interface OtlpReceiverOptions {
  /**
   * Which attributes of resources are attributes of series too; those of a point win over them. What is not among them
   * does not tell series apart: processes that differ in nothing else are counted together.
   * @default ['service.namespace', 'service.name', 'service.instance.id']
   */
  readonly resourceAttributes?: readonly string[];
  /** What is to be different from what is chosen for the family of a metric, when that is made. @default nothing */
  readonly familyOptions?: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined;
  /** How many streams are known at a time: an integer of at least 1. Points of others are refused. @default 10000 */
  readonly maxStreams?: number;
  /**
   * After how many milliseconds without a point a stream gives way to a new one, where there is no other room: above 0.
   * Should it come back, all that it has counted counts as new. @default 3600000, an hour
   */
  readonly forgetAfterMs?: number;
  /** How many bytes a body may have, also once it is unzipped: an integer of at least 1. @default 16777216, 16 MiB */
  readonly maxBytes?: number;
  /** @default the clock of the runtime */
  readonly clock?: Clock;
}

const DEFAULT_RESOURCE_ATTRIBUTES = ['service.namespace', 'service.name', 'service.instance.id'];
const DEFAULT_MAX_STREAMS = 10_000;
const DEFAULT_FORGET_AFTER_MS = 3_600_000;
const DEFAULT_MAX_BYTES = 16 * 2 ** 20;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function withDefaults({
  resourceAttributes = DEFAULT_RESOURCE_ATTRIBUTES,
  familyOptions = () => undefined,
  maxStreams = DEFAULT_MAX_STREAMS,
  forgetAfterMs = DEFAULT_FORGET_AFTER_MS,
  maxBytes = DEFAULT_MAX_BYTES,
  clock = systemClock,
}: OtlpReceiverOptions): IntoRegistryOptions & { readonly maxBytes: number } {
  const areTexts =
    Array.isArray(resourceAttributes) && resourceAttributes.every((key) => typeof key === 'string');
  if (!areTexts) {
    throw mustBe('ERR_INVALID_OPTION', 'resourceAttributes', 'an array of texts', resourceAttributes);
  }
  if (typeof familyOptions !== 'function') {
    throw mustBe('ERR_INVALID_OPTION', 'familyOptions', 'a function', familyOptions);
  }
  assertWhole('maxStreams', maxStreams);
  assertWhole('maxBytes', maxBytes);
  if (!(typeof forgetAfterMs === 'number' && forgetAfterMs > 0)) {
    throw mustBe('ERR_INVALID_OPTION', 'forgetAfterMs', 'a number above 0', forgetAfterMs);
  }
  return {
    resourceAttributes: [...resourceAttributes],
    familyOptions,
    maxStreams,
    forgetAfterMs,
    maxBytes,
    clock,
  };
}

function assertWhole(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= 2 ** 30) return;
  throw mustBe('ERR_INVALID_OPTION', what, 'an integer from 1 to 2^30', value);
}
