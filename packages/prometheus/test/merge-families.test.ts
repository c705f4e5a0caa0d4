import { type Metric, type MetricFamily, mergeFamilies } from '../src/index.ts';

const metric = (labels: Metric['labels'], value: number): Metric => ({
  labels,
  value: { kind: 'number', value },
});

const gauge = (facts: Partial<MetricFamily>): MetricFamily => ({
  name: 'x',
  help: '',
  unit: '',
  type: 'gauge',
  metrics: [],
  ...facts,
});

test.each<[title: string, families: MetricFamily[], merged: MetricFamily[], warnings: string[]]>([
  ['other names stay apart', [gauge({}), gauge({ name: 'y' })], [gauge({}), gauge({ name: 'y' })], []],
  [
    'equal names become one, in the place of the first',
    [
      gauge({ metrics: [metric([], 1)] }),
      gauge({ name: 'y' }),
      gauge({ metrics: [metric([['a', 'b']], 2)] }),
    ],
    [gauge({ metrics: [metric([], 1), metric([['a', 'b']], 2)] }), gauge({ name: 'y' })],
    [],
  ],
  [
    'another type is left out',
    [
      gauge({ metrics: [metric([], 1)] }),
      gauge({ type: 'histogram' }),
      gauge({ metrics: [metric([['a', 'b']], 2)] }),
    ],
    [gauge({ metrics: [metric([], 1), metric([['a', 'b']], 2)] })],
    ['"x" is a gauge already: the histogram of this name is left out'],
  ],
  [
    'names are compared as they are exposed',
    [gauge({ name: 'x_total' }), gauge({ type: 'counter' })],
    [gauge({ name: 'x_total' })],
    ['"x_total" is a gauge already: the counter of this name is left out'],
  ],
  [
    'the first facts that are not empty stand for all',
    [gauge({ unit: 's' }), gauge({ help: 'one', unit: 'ms' }), gauge({ help: 'two', unit: 's' })],
    [gauge({ help: 'one', unit: 's' })],
    ['"x" has the unit "s" already: "ms" is not shown', '"x" has the help "one" already: "two" is not shown'],
  ],
  [
    'equal labels, in whatever order, are one series',
    [
      gauge({
        metrics: [
          metric(
            [
              ['a', '1'],
              ['b', '2'],
            ],
            1,
          ),
          metric(
            [
              ['b', '2'],
              ['a', '1'],
            ],
            2,
          ),
        ],
      }),
    ],
    [
      gauge({
        metrics: [
          metric(
            [
              ['a', '1'],
              ['b', '2'],
            ],
            1,
          ),
        ],
      }),
    ],
    ['"x" has 1 series with the labels of others: these are left out'],
  ],
])('%s', (_title, families, merged, warnings) => {
  const heard: string[] = [];
  expect(mergeFamilies(families, (message) => heard.push(message))).toEqual(merged);
  expect(heard).toEqual(warnings);
});
