import { readEncoded, readFigures, recogniseInput } from '@hdrscope/inputs';
import { figuresJson, summarizeHistogram } from '@hdrscope/inputs/internal';
import { readText, readUtf8 } from '@hdrscope/interval-log/internal';
import { endWell, type Io } from 'hdrscope/internal';

const PERCENTILES = [50, 90, 99, 99.9];
const BEGINNING_CHARACTERS = 2 ** 16;

/** Prints the figures of a file of encoded histograms, for which no command exists: `hdrscope plot` draws them. */
export function printFigures(name: string, io: Io): Promise<number> {
  return endWell(io, async ({ stdout }) => {
    const { histogram, unit, resolution } = await readHistogram(name);
    const shown = (value: number): number => Number((value * resolution).toPrecision(15));
    const figures = summarizeHistogram(histogram, { name, unit, percentiles: PERCENTILES, shown });
    await stdout.write(JSON.stringify(figuresJson(figures)));
    return 0;
  });
}

async function readHistogram(name: string) {
  const beginning = await readText(name, BEGINNING_CHARACTERS);
  if (recogniseInput(beginning, { isWhole: true }) === 'recorded')
    return readFigures(readUtf8(name), { name });
  return { histogram: await readEncoded(readUtf8(name), { name }), unit: 'none', resolution: 1 } as const;
}
