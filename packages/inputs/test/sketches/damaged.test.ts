import { HdrscopeError } from '@hdrscope/core';
import { ProtobufWriter } from '@hdrscope/kit';
import { recogniseInput } from '../../src/index.ts';
import {
  readDdsketch,
  readDdsketchBinary,
  readElasticsearch,
  readEnvoyStats,
  readVmranges,
} from '../../src/sketches/index.ts';
import { listNominalSlots, readVectors } from './support/vectors.ts';

/** A message with a mapping of gamma 1.02, and fields after it. */
function message(write: (writer: ProtobufWriter) => void, gamma = 1.02): Uint8Array {
  const writer = new ProtobufWriter();
  writer.uint32(0x0a).fork().uint32(0x09).double(gamma).join();
  write(writer);
  return writer.finish();
}

function store(write: (writer: ProtobufWriter) => void): (writer: ProtobufWriter) => void {
  return (writer) => {
    writer.uint32(0x12).fork();
    write(writer);
    writer.join();
  };
}

const bin =
  (index: number, count: number) =>
  (writer: ProtobufWriter): void => {
    writer.uint32(0x0a).fork().uint32(0x08).sint32(index).uint32(0x11).double(count).join();
  };

/** Several fields in a row. */
const all =
  (...fields: readonly ((writer: ProtobufWriter) => void)[]) =>
  (writer: ProtobufWriter): void => {
    for (const write of fields) write(writer);
  };

describe('a DDSketch', () => {
  test.each<[string, Uint8Array, string]>([
    ['without a mapping', Uint8Array.of(0x21, 0, 0, 0, 0, 0, 0, 0, 0), 'it has no mapping'],
    ['with a gamma of 1', message(() => {}, 1), 'mapping.gamma must be finite and above 1, got 1'],
    [
      'with a gamma that is no number',
      message(() => {}, Number.NaN),
      'mapping.gamma must be finite and above 1, got NaN',
    ],
    [
      'with a count of 2^63',
      message(store(bin(3, 2 ** 63))),
      'must be an integer from 0 to 2^53 - 1, got 9223372036854776000',
    ],
    ['with a weighted count', message(store(bin(3, 1.5))), 'got 1.5: weighted counts cannot be counted'],
    ['with a negative count', message(store(bin(3, -1))), 'got -1'],
    ['with a count twice', message(store(all(bin(3, 1), bin(3, 2)))), 'the index 3 has two counts'],
    [
      'with a store twice',
      message(all(store(bin(1, 1)), store(bin(2, 1)))),
      'field 2 has the wire type 2, or comes twice',
    ],
    [
      'with an index beyond the doubles',
      message(store(bin(2 ** 30, 1))),
      'index 1073741824 is beyond the doubles',
    ],
    ['of another message', Uint8Array.of(0x0a, 2, 0x0a, 0), 'field 1 has the wire type 2, or comes twice'],
    ['with counts whose sum passes 2^53 - 1', message(store(all(bin(3, 2 ** 53 - 1), bin(4, 1)))), '2^53'],
  ])('%s is refused', (_, bytes, problem) => {
    expect(() => readDdsketch(bytes, 'sketches-go')).toThrow(HdrscopeError);
    expect(() => readDdsketch(bytes, 'sketches-go')).toThrow(problem);
  });

  test('that is cut anywhere gives fewer values or is refused, and never more', () => {
    const vectors = readVectors('ddsketch.json');
    for (const { form, input, writer, slots } of [vectors[0]!, vectors[1]!, vectors.at(-1)!]) {
      const bytes = Buffer.from(input, 'base64');
      const total = slots.reduce((sum, [, , count]) => sum + count, 0);
      for (let length = 0; length < bytes.length; length++) {
        const cut = bytes.subarray(0, length);
        try {
          const { counted } =
            form === 'ddsketch' ? readDdsketch(cut, writer as 'sketches-go') : readDdsketchBinary(cut);
          expect(counted.counts.total).toBeLessThanOrEqual(total);
        } catch (error) {
          expect(error).toBeInstanceOf(HdrscopeError);
        }
      }
    }
  });

  test('of QUADRATIC is one of sketches-java', () => {
    const { input } = readVectors('ddsketch.json').find(
      ({ form, name }) => form === 'ddsketch' && name.includes('QUADRATIC'),
    )!;
    expect(() => readDdsketch(Buffer.from(input, 'base64'), 'sketches-go')).toThrow(
      'QUADRATIC is of sketches-java only',
    );
  });

  test('is a slot apart when the wrong writer is stated', () => {
    const { input, values } = readVectors('ddsketch.json').find(
      ({ writer, name }) => writer === 'sketches-js' && name.startsWith('one value'),
    )!;
    const { counted } = readDdsketch(Buffer.from(input, 'base64'), 'sketches-go');
    expect(listNominalSlots(counted)[0]![0]).toBeGreaterThanOrEqual(values[0]![0]);
  });
});

describe('the binary encoding of a DDSketch', () => {
  test.each<[string, number[], string]>([
    ['without a mapping', [], 'its mapping is left out'],
    ['with an unknown feature', [0x08], 'there is no feature 2'],
    ['with an unknown mapping', [0x12], 'there is no mapping 4'],
    ['that ends within a mapping', [0x02, 0, 0], 'it ends within a block'],
    ['that promises more bins than it has', [0x05, 0xff, 0x07, 0x02], 'it ends within a block'],
    [
      'that promises too many bins',
      [0x05, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x02],
      'must have at most 800000 elements',
    ],
  ])('%s is refused', (_, bytes, problem) => {
    expect(() => readDdsketchBinary(Uint8Array.from(bytes))).toThrow(problem);
  });
});

describe('an exponential histogram of Elasticsearch', () => {
  test.each([
    ['{"scale":39}', 'scale must be an integer from -11 to 38, got 39'],
    [
      '{"scale":0,"positive":{"indices":[1,2],"counts":[1]}}',
      'positive.counts must be as long as indices, which is 2, got 1',
    ],
    ['{"scale":0,"positive":{"indices":[1,1],"counts":[1,2]}}', 'positive.indices has 1 twice'],
    [
      '{"scale":0,"positive":{"indices":[1],"counts":[9223372036854775808]}}',
      'must be an integer from 0 to 2^53 - 1',
    ],
    [
      '{"scale":0,"positive":{"indices":[1.5],"counts":[1]}}',
      'positive.indices[0] must be an integer, got 1.5',
    ],
    ['{"scale":0,"positive":{"indices":[5000],"counts":[1]}}', 'beyond the doubles'],
    ['{"scale":0,"zero":{"count":1,"threshold":-1}}', 'zero.threshold must be at least 0, got -1'],
    ['{"scale":', 'JSON'],
  ])('%s is refused', (text, problem) => {
    expect(() => readElasticsearch(text)).toThrow(HdrscopeError);
    expect(() => readElasticsearch(text)).toThrow(problem);
  });

  test('of two buckets that are far apart takes little memory', () => {
    const { counted } = readElasticsearch(
      '{"scale":20,"positive":{"indices":[-900000000,900000000],"counts":[1,2]}}',
    );
    expect([counted.counts.total, counted.layout.slotCount]).toEqual([3, 5]);
  });
});

const envoy = (bin: string): string =>
  `{"stats":[{"histograms":{"details":[{"name":"a","totals":[${bin}]}]}}]}`;

describe('statistics of Envoy', () => {
  test.each([
    [envoy('{"lower_bound":210,"width":7,"count":1}'), 'a bin of circllhist is from two digits to the next'],
    [envoy('{"lower_bound":200,"width":1,"count":1}'), 'a bin of circllhist is from two digits to the next'],
    [
      envoy('{"lower_bound":21,"width":1,"count":9223372036854775808}'),
      'must be an integer from 0 to 2^53 - 1',
    ],
    [
      envoy('{"lower_bound":21,"width":1,"count":1},{"lower_bound":21,"width":1,"count":1}'),
      'slots must ascend and not overlap',
    ],
    [
      '{"stats":[{"histograms":{"supported_quantiles":[],"computed_quantiles":[]}}]}',
      'ask for /stats?format=json&histogram_buckets=detailed',
    ],
    ['{"stats":7}', 'stats must be an array'],
  ])('%s is refused', (text, problem) => {
    expect(() => readEnvoyStats(text)).toThrow(HdrscopeError);
    expect(() => readEnvoyStats(text)).toThrow(problem);
  });

  test('may have terse bins', () => {
    const [histogram] = readEnvoyStats(
      '{"stats":[{"histograms":[{"name":"a","totals":[[0,0,2],[0.28,0.01,3]],"intervals":[]}]}]}',
    );
    const { layout, counts } = histogram!.counted;
    expect([counts.total, layout.lower(counts.last), layout.upper(counts.last)]).toEqual([5, 0.28, 0.29]);
  });
});

describe('buckets of VictoriaMetrics', () => {
  test.each([
    [
      'a_bucket{vmrange="1.000e+00...2.000e+00"} 1',
      'line 1: vmrange="1.000e+00...2.000e+00" is no bucket of VictoriaMetrics',
    ],
    [
      'a_bucket{vmrange="1.000e+00...1.136e+00"} 9223372036854775808',
      'a count must be an integer from 0 to 2^53 - 1',
    ],
    [
      'a_bucket{vmrange="1.000e+00...1.136e+00"} 1\na_bucket{vmrange="1.000e+00...1.136e+00"} 1',
      'line 2: vmrange="1.000e+00...1.136e+00" comes twice',
    ],
    [
      'a_bucket{vmrange="1.000e+00...1.136e+00"} 1\na_count 2',
      'a has buckets of 1 values, and its count is 2',
    ],
  ])('%s is refused', (text, problem) => {
    expect(() => readVmranges(text)).toThrow(problem);
  });

  test('of several series are kept apart', () => {
    const range = 'vmrange="1.000e+00...1.136e+00"';
    const text = `a_bucket{x="1",${range}} 1\na_bucket{x="2",${range}} 2\na_sum{x="2"} 2.1\na_count{x="2"} 2\nb 7\n`;
    expect(
      readVmranges(text).map(({ attributes, counted, sum }) => [attributes, counted.counts.total, sum]),
    ).toEqual([
      [{ x: '1' }, 1, undefined],
      [{ x: '2' }, 2, 2.1],
    ]);
  });
});

test('forms are recognised by their content', () => {
  const inputs = [...readVectors('circllhist.json'), ...readVectors('vmrange.json')].map(
    ({ input }) => input,
  );
  expect(new Set(inputs.slice(0, 3).map((text) => recogniseInput(text)))).toEqual(new Set(['envoy']));
  expect(new Set(inputs.slice(3).map((text) => recogniseInput(text)))).toEqual(new Set(['vmrange']));
  expect(recogniseInput('{"scale":3,"sum":1,"positive":{"indices":[1],"counts":[1]}}')).toBe('elasticsearch');
  expect(recogniseInput('# TYPE a histogram\na_bucket{le="+Inf"} 1\n')).toBe('prometheus');
  expect(recogniseInput('# TYPE a histogram\na {count:1,sum:1,bucket:[+Inf:1]}\n')).toBe('prometheus');
  for (const { form, input } of readVectors('ddsketch.json')) {
    if (form === 'ddsketch') expect(recogniseInput(Buffer.from(input, 'base64'))).toBe('ddsketch');
  }
  expect(recogniseInput('\n\t\tif (x) {\n')).not.toBe('ddsketch');
});
