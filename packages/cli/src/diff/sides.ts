import { readText, sumLogs } from '@hdrscope/interval-log';
import { type Io, Refusal } from '../command.ts';
import { decodeEncoded } from '../encoded-histogram.ts';
import type { LineTally } from '../line-tally.ts';
import { type ComparedSide, withValues } from '../log/comparing.ts';
import type { MalformedTally } from '../log/malformed.ts';
import { readPercentileInput, type TextUnit } from '../log/percentile-input.ts';
import { chunksOf, countNumbers } from '../numbers/count-numbers.ts';
import { badLineText } from '../numbers/number-reader.ts';
import type { DiffInput } from './inputs.ts';
import type { DiffUnits } from './units.ts';

/** How sides are read. */
export interface SideReading extends DiffUnits {
  readonly textUnit: TextUnit | undefined;
  readonly onBytes: (bytes: number) => void;
  readonly malformed: MalformedTally;
  readonly badLines: LineTally;
}

/** As HdrHistogram has it where nobody says otherwise. */
const DIGITS = 3;

const LARGEST_BYTES = 2 ** 26;

/** @throws Refusal, UsageError */
export async function readSide(input: DiffInput, reading: SideReading, io: Io): Promise<ComparedSide> {
  const { kind, name, source } = input;
  switch (kind) {
    case 'log': {
      const { onBytes, malformed } = reading;
      return sideOf(name, await sumLogs([source], { onBytes, onMalformed: malformed.add }));
    }
    case 'percentiles': {
      const { scale: unit, textUnit } = reading;
      const options = { unit, selection: {}, ...(textUnit && { textUnit }) };
      const { values, losses } = await readPercentileInput({ kind, source }, options);
      for (const loss of losses) await io.stderr.write(`hdrscope: ${loss}\n`);
      return { name, values, totalCount: values.histogram.totalCount };
    }
    case 'encoded': {
      const text = await readText(source, LARGEST_BYTES);
      if (text.length >= LARGEST_BYTES) {
        throw new Refusal(`${name} is longer than encoded histograms may be: 64 MiB`);
      }
      return sideOf(name, decodeEncoded(text, name));
    }
    case 'numbers': {
      const { histogram } = await countNumbers([{ name, chunks: chunksOf(source, io.signal) }], {
        unit: reading.numbers,
        significantDigits: DIGITS,
        onBytes: reading.onBytes,
        onBadLine: (line) => reading.badLines.add(line.lineNumber, () => `${name}: ${badLineText(line)}`),
      });
      return sideOf(name, histogram);
    }
  }
}

function sideOf(name: string, sum: Parameters<typeof withValues>[0]): ComparedSide {
  const values = withValues(sum, name);
  return { name, values, totalCount: values.totalCount };
}
