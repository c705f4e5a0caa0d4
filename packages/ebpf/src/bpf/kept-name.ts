import { textUntilNul } from './memory.ts';

/** Bytes that the kernel keeps of the name of a map or program. Source: Linux, `BPF_OBJ_NAME_LEN`, which includes a NUL. */
const KEPT_BYTES = 15;

/**
 * The part of the name of a map or program that the kernel keeps: its first 15 bytes.
 *
 * @example
 * ```ts
 * import { keptName } from '@hdrscope/ebpf/internal';
 *
 * keptName('bio_latency_seconds'); //=> 'bio_latency_sec'
 * ```
 */
export function keptName(name: string): string {
  return textUntilNul(new TextEncoder().encode(name).subarray(0, KEPT_BYTES));
}

/** Whether a name of the kernel is so long that it may be the beginning of a longer one. */
export function mayBeCut(kept: string): boolean {
  return new TextEncoder().encode(kept).length >= KEPT_BYTES;
}
