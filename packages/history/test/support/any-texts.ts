import fc from 'fast-check';
import type { HistoryQuestion } from '../../src/index.ts';
import { writeRows } from './folder.ts';
import type { Ask } from './merged-percentiles.ts';
import { anyText, rowsOf } from './recorded.ts';
import { newDirectory } from './sandbox.ts';

/**
 * Expects that an engine finds a metric and its attributes in files whatever their characters are, and nothing else.
 *
 * @param ask Asks about the files of a folder. Its rows have the columns of `historySql`.
 * @param more Texts that mean something to this engine.
 */
export async function expectAnyTexts(
  numRuns: number,
  ask: (question: HistoryQuestion, folder: string) => ReturnType<Ask>,
  more: readonly string[] = [],
): Promise<void> {
  const text = more.length === 0 ? anyText : fc.oneof(anyText, fc.constantFrom(...more));
  await fc.assert(
    fc.asyncProperty(text, text, text, async (metric, key, value) => {
      const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
      const attributes = Object.fromEntries([[key, value]]);
      const folder = newDirectory();
      await writeRows(folder, [
        { ...row!, metric, attributes },
        { ...row!, metric: `${metric}x`, attributes, producer: 'another metric' },
        { ...row!, metric, producer: 'without' },
      ]);
      const answer = await ask({ metric, percentiles: [50], by: [key], where: attributes }, folder);
      expect(answer.map(({ group1, count }) => [group1, count])).toEqual([[value, 3]]);
    }),
    { numRuns },
  );
}
