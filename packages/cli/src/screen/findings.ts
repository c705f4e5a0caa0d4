import type { Finding } from '@hdrscope/ebpf';
import type { Io } from '../command.ts';
import { wrapWords } from './help-text.ts';
import { lineLength, painter } from './screen.ts';

/** Narrower columns of text are hard to read. */
const LEAST_ROOM = 24;

/** The longest word of a verdict, `cannot`, and two blanks. */
const VERDICT_WIDTH = 8;

/**
 * Each finding with its detail and its cure: beside it when there is room, else below it.
 *
 * @param amiss What stands before a finding that is not well.
 */
export function findingLines(findings: readonly Finding[], amiss: 'cannot' | 'amiss', io: Io): string[] {
  const paint = painter(io, io.stdout);
  const columns = lineLength(io);
  const width = findings.reduce((most, { what }) => Math.max(most, what.length), 0);
  const besideAt = VERDICT_WIDTH + width + 2;
  const isBeside = columns - besideAt >= LEAST_ROOM;
  const at = isBeside ? besideAt : VERDICT_WIDTH;
  return findings.flatMap(({ what, ok, detail, cure }) => {
    const verdict = ok ? paint('green', 'ok    ') : paint('yellow', amiss.padEnd(6));
    const texts = [detail, ...(cure === undefined ? [] : [cure])];
    const [first = '', ...others] = texts.flatMap((text) => wrapWords(text, columns - at));
    const below = (isBeside ? others : [first, ...others]).map((line) => ' '.repeat(at) + line);
    return [isBeside ? `${verdict}  ${what.padEnd(width)}  ${first}` : `${verdict}  ${what}`, ...below];
  });
}
