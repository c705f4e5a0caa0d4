import type { Metric, MetricFamily } from '../src/index.ts';
import { lazyFamily } from '../src/lazy-family.ts';
import { mergeFamilies } from '../src/merge-families.ts';

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
    ['"x" is already a gauge: the histogram of this name is left out'],
  ],
  [
    'names are compared with the suffix of their type',
    [gauge({ name: 'x_total' }), gauge({ type: 'counter' })],
    [gauge({ name: 'x_total' })],
    ['"x_total" is already a gauge: the counter of this name is left out'],
  ],
  [
    'a family is left out when an earlier one has samples of its name',
    [gauge({ type: 'histogram' }), gauge({ name: 'x_count' }), gauge({ name: 'x_max' })],
    [gauge({ type: 'histogram' }), gauge({ name: 'x_max' })],
    [
      '"x_count" has samples of the name "x_count", as the histogram "x" has: the gauge "x_count" is left out',
    ],
  ],
  [
    'a histogram is left out when an earlier family has a name of its samples',
    [gauge({ name: 'x_bucket' }), gauge({ type: 'histogram' }), gauge({ name: 'x_sum' })],
    [gauge({ name: 'x_bucket' }), gauge({ name: 'x_sum' })],
    ['"x" has samples of the name "x_bucket", as the gauge "x_bucket" has: the histogram "x" is left out'],
  ],
  [
    'the first help and unit that are not empty apply to all',
    [gauge({ unit: 's' }), gauge({ help: 'one', unit: 'ms' }), gauge({ help: 'two', unit: 's' })],
    [gauge({ help: 'one', unit: 's' })],
    ['"x" already has the unit "s": "ms" is not shown', '"x" already has the help "one": "two" is not shown'],
  ],
  [
    'equal labels in any order mean one series',
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
    ['"x" has 1 series with the same labels as others: these series are left out'],
  ],
])('%s', (_title, families, merged, warnings) => {
  const heard: string[] = [];
  expect(mergeFamilies(families.map(lazyFamily), (message) => heard.push(message))).toEqual(merged);
  expect(heard).toEqual(warnings);
});
