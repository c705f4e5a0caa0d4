import { isObject } from '@hdrscope/kit';
import type { Plot } from '@hdrscope/plot';

const KINDS: readonly string[] = [
  'percentiles',
  'comparison',
  'over-time',
  'heat-map',
  'bars',
] satisfies Plot['kind'][];

/** Whether a document says that it is a plot, as `hdrscope plot --json` writes it. */
export function isPlotDocument(json: unknown): boolean {
  return isObject(json) && typeof json.kind === 'string' && KINDS.includes(json.kind);
}
