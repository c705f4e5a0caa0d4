import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

const plotPackage = () => importSource('plot/src/index.ts');

async function plots() {
  const { plotToJson } = await plotPackage();
  const { percentiles, comparison, overTime, heatMap, bars } = await importSource(
    'plot/test/support/plots.ts',
  );
  return [percentiles, comparison, overTime, heatMap, bars]
    .filter((plot) => plot !== undefined)
    .map((plot) => plotToJson(plot));
}

/** @returns {Promise<Target>} */
export async function plotJson() {
  const { plotFromJson, plotToJson, describePlot, plotTable } = await plotPackage();
  return {
    form: 'json',
    seeds: await plots(),
    run(text) {
      const plot = plotFromJson(text);
      const again = plotToJson(plot);
      assertThat(plotToJson(plotFromJson(again)) === again, () => `other JSON of ${again}`);
      describePlot(plot);
      plotTable(plot);
    },
  };
}

/** @returns {Promise<Target>} */
export async function plotTexts() {
  const { plotFromJson, plotText, describePlot, chartOption } = await plotPackage();
  const seeds = await plots();
  const texts = [
    '',
    '\u001b[31m',
    '\u202e',
    '\u009b',
    '<b>&"',
    '\n',
    '\ud800',
    'x'.repeat(5000),
    '   .',
    '__proto__',
    '{a|b}',
    '%',
  ];
  const numbers = [0, 1, 0.5, 1e-300, 1e300, 2 ** 53, 1e6];
  return {
    form: 'json',
    seeds,
    mostMs: 2000,
    mostMb: 256,
    make(random) {
      const plot = JSON.parse(random.of(seeds));
      const textShare = random.oneIn(2) ? 10 : 1000;
      return JSON.stringify(plot, (key, value) => {
        if (
          typeof value === 'string' &&
          !['kind', 'unit', 'scale', 'change'].includes(key) &&
          random.oneIn(3)
        )
          return random.of(texts);
        return ['value', 'totalCount'].includes(key) && random.oneIn(textShare) ? random.of(numbers) : value;
      });
    },
    run(text) {
      const plot = plotFromJson(text);
      const drawn = plotText(plot, { columns: 80, colours: false });
      assertThat(typeof drawn === 'string' && drawn.length < 1e6, () => `${drawn?.length} characters`);
      describePlot(plot);
      chartOption(plot);
    },
  };
}
