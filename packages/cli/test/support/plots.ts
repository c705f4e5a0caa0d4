import type { Plot } from '@hdrscope/plot';
import { hdrscope, type World } from './fake-io.ts';
import { evenly, logText } from './logs.ts';

/** A log with two tags, and a third one without values. */
export const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(1000) },
  { tag: 'put', at: 0, ms: evenly(500, 4) },
  { tag: 'get', at: 1, ms: evenly(1000) },
  { tag: 'idle', at: 1, ms: [] },
]);

export const SINGLE = logText([{ at: 0, ms: evenly(1000) }]);
export const SLOWER = logText([{ at: 0, ms: evenly(1000, 1.5) }]);

/** Prints the percentile text of a log. */
export const hgrmOf = async (log: string): Promise<string> =>
  (await hdrscope(['log', 'convert', '--format', 'hgrm', '-'], { stdin: log })).stdout;

/** The data of a plot, which every format draws. */
export async function dataOf<Drawn extends Plot>(args: readonly string[], world: World = {}): Promise<Drawn> {
  const { stdout, stderr, exitCode } = await hdrscope(['plot', ...args, '--json'], world);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}
