import { type Chart, init } from '#echarts';
import { PlotView, type ViewedChart, zoomOf } from '../../browser/plot-view.ts';
import { THEMES, type ThemeName } from '../../src/chart/theme.ts';
import { heatMap, overTime } from '../support/plots.ts';

interface Option {
  readonly backgroundColor: string;
  readonly dataZoom: readonly { readonly start: number; readonly end: number }[];
  readonly xAxis: readonly {
    readonly axisLabel: { readonly color: string; readonly customValues: readonly number[] };
  }[];
}

const WIDTH = 600;
let chart: Chart & ViewedChart;

// Pages zoom, and pictures do not. The names are no literals, because ECharts' types need those of a browser.
beforeAll(async () => {
  const [{ use }, { DataZoomInsideComponent }] = await Promise.all(
    ['echarts/core', 'echarts/components'].map((name) => import(name)),
  );
  use([DataZoomInsideComponent]);
});

beforeEach(() => {
  chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: 300 }) as Chart & ViewedChart;
  // A chart outside of a page has no element to take its size from.
  chart.resize = () => undefined;
});
afterEach(() => chart.dispose());

const optionOf = (): Option => chart.getOption() as Option;
const zoomTo = (start: number, end: number): void => chart.setOption({ dataZoom: [{ start, end }] });

function colours(): [background: string, label: string] {
  const { backgroundColor, xAxis } = optionOf();
  return [backgroundColor, xAxis[0]!.axisLabel.color];
}

const coloursOf = (theme: ThemeName): [string, string] => [THEMES[theme].background, THEMES[theme].text];

test('the labels of a time axis have the colour of the drawing, also after a zoom', () => {
  const view = new PlotView(overTime, chart);
  view.draw('dark', WIDTH);
  expect(colours()).toEqual(coloursOf('dark'));
  // A dark page is printed light.
  view.draw('light', WIDTH);
  expect(colours()).toEqual(coloursOf('light'));
  zoomTo(25, 75);
  view.labelTimes();
  expect(colours()).toEqual(coloursOf('light'));
});

test('a zoom labels the part of the axis that it shows, and stays when the theme changes', () => {
  const { timesMs } = overTime;
  const [first, last] = [timesMs[0]!, timesMs.at(-1)!];
  const view = new PlotView(overTime, chart);
  view.draw('light', WIDTH);
  zoomTo(0, 50);
  view.labelTimes();
  const values = optionOf().xAxis[0]!.axisLabel.customValues;
  expect(values.length).toBeGreaterThan(0);
  expect(Math.max(...values)).toBeLessThanOrEqual((first + last) / 2);

  view.draw('dark', WIDTH);
  expect(optionOf().dataZoom[0]).toMatchObject({ start: 0, end: 50 });
  expect(optionOf().xAxis[0]!.axisLabel.customValues).toEqual(values);
});

test('an equal width and theme draw nothing again', () => {
  let drawings = 0;
  const counting: ViewedChart = {
    resize: () => undefined,
    getOption: () => ({}),
    setOption: (_, how) => {
      if (how?.notMerge) drawings++;
    },
  };
  const view = new PlotView(overTime, counting);
  view.labelTimes();
  for (const width of [WIDTH, WIDTH, 500]) view.draw('light', width);
  expect(drawings).toBe(2);
});

test('a heat map zooms both axes', () => {
  expect([overTime, heatMap].map((plot) => zoomOf(plot).length)).toEqual([1, 2]);
});
