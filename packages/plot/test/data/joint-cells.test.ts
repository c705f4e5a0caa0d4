import { explicitLayout, linearLayout } from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import { heatMapOfCells, plotText } from '../../src/index.ts';

test('two of three axes of a joint histogram are a heat map, with their units', () => {
  const answers = new JointHistogram([
    { name: 'duration', unit: 'ms', layout: explicitLayout([1, 10, 100]) },
    { name: 'status', layout: linearLayout({ min: 200, width: 100, slots: 4 }) },
    { name: 'size', unit: 'bytes', layout: explicitLayout([4096]) },
  ]);
  for (let i = 0; i < 9; i++) answers.record(5, 200, 100);
  answers.record(50, 200, 100_000);
  answers.record(500, 503, 100_000);

  const plot = heatMapOfCells(answers, { x: 2, y: 0, countName: 'answers' });
  expect([plot.x.unit, plot.y.unit]).toEqual(['bytes', 'ms']);
  expect(plot.counts).toEqual([
    [0, 0],
    [9, 0],
    [0, 1],
    [0, 1],
  ]);
  expect(plotText(plot, { columns: 60 })).toContain('duration');
  expect(
    heatMapOfCells(answers.slice({ axis: 'status', from: 500, to: 600 }), { x: 1, y: 0 }).counts,
  ).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 1],
  ]);
});
