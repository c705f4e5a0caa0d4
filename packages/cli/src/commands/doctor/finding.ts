import type { Finding } from '@hdrscope/ebpf';
import { reasonOf } from '@hdrscope/kit';

export function well(what: string, detail: string): Finding {
  return { what, ok: true, detail, cure: undefined };
}

export function amiss(what: string, detail: string, cure?: string): Finding {
  return { what, ok: false, detail, cure };
}

/** What helps, by the reason of a failure: the first that fits. */
export type Cures = readonly (readonly [reason: RegExp, cure: string])[];

export function failed(what: string, error: unknown, cures: Cures): Finding {
  const reason = reasonOf(error);
  return amiss(what, reason, cures.find(([pattern]) => pattern.test(reason))?.[1]);
}
