import { plotFromJson, plotToJson } from '../src/plot-json.ts';
import { allPlots } from './support/plots.ts';

test.each(allPlots.map((plot) => [plot.kind, plot] as const))('a plot of %s survives JSON', (_, plot) => {
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});

test('infinite bounds are null in JSON', () => {
  const slots = [
    { lower: Number.NEGATIVE_INFINITY, upper: 0 },
    { lower: 0, upper: Number.POSITIVE_INFINITY },
  ];
  const text = plotToJson({ kind: 'bars', unit: 'none', slots, counts: [1, 2] });
  expect(JSON.parse(text).slots).toEqual([
    { lower: null, upper: 0 },
    { lower: 0, upper: null },
  ]);
});
