import { decodeOtlp, type OtlpEncoding } from '../../src/receiver/index.ts';
import { attributesJson, requestBytes, requestJson } from './support/request.ts';

const POINT = {
  attributes: attributesJson({ route: '/cart' }),
  startTimeUnixNano: '1700000000000000001',
  timeUnixNano: '1700000060000000003',
  count: '6',
  sum: 12.5,
  bucketCounts: ['1', '2', '3'],
  explicitBounds: [1, 2.5],
};
const histogram = (aggregationTemporality: number, dataPoints: object[]) => ({
  aggregationTemporality,
  dataPoints,
});

const REQUEST = requestJson([
  { name: 'delta', unit: 's', histogram: histogram(1, [POINT]) },
  { name: 'cumulative', unit: 's', histogram: histogram(2, [POINT]) },
  { name: 'timeless', unit: 's', histogram: histogram(1, [{ ...POINT, timeUnixNano: '0' }]) },
  { name: 'broken', unit: 's', histogram: histogram(1, [{ ...POINT, count: '7' }]) },
  { name: 'gauge', gauge: { dataPoints: [{}, {}] } },
]);

test.each(['json', 'protobuf'] as const)(
  'points of %s have their times and their sender',
  async (encoding) => {
    const body =
      encoding === 'json' ? new TextEncoder().encode(JSON.stringify(REQUEST)) : requestBytes(REQUEST);
    const { points, otherPoints, refusals } = await decodeOtlp(body, encoding);
    expect(points.map(({ reading, startMs, timeMs }) => [reading.family.name, startMs, timeMs])).toEqual([
      ['delta', 1_700_000_000_000, 1_700_000_060_000],
      ['cumulative', 1_700_000_000_000, 1_700_000_060_000],
      ['timeless', 1_700_000_000_000, undefined],
    ]);
    expect(points.map(({ reading }) => reading.counted.counts.total)).toEqual([6, 6, 6]);
    expect(new Set(points.map(({ sender }) => sender)).size).toBe(1);
    expect(otherPoints).toBe(2);
    expect(refusals).toMatchObject({ pointCount: 1, message: expect.stringContaining('"broken"') });
  },
);

test('a body that is no request is refused, and one with too many elements', async () => {
  const text = new TextEncoder().encode('{"resourceMetrics": 7}');
  await expect(decodeOtlp(text, 'json')).rejects.toMatchObject({ code: 'ERR_DECODE' });
  await expect(decodeOtlp(requestBytes(REQUEST), 'protobuf', { maxElements: 3 })).rejects.toMatchObject({
    code: 'ERR_TOO_LARGE',
  });
});

test('an encoding that does not exist is refused', async () => {
  const encoding = 'http/protobuf' as OtlpEncoding;
  await expect(decodeOtlp(requestBytes(REQUEST), encoding)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: "encoding must be 'json' or 'protobuf', got \"http/protobuf\"",
  });
});
