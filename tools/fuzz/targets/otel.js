import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */
/** @typedef {import('../../lib/random.js').Random} Random */

const POINT = {
  startTimeUnixNano: '1',
  timeUnixNano: '2',
  count: '3',
  sum: 0.4,
  min: 0.01,
  max: 0.3,
  exemplars: [
    {
      timeUnixNano: '2',
      asDouble: 0.3,
      traceId: '0123456789abcdef0123456789abcdef',
      spanId: '0123456789abcdef',
    },
  ],
  attributes: [
    { key: 'op', value: { stringValue: 'get' } },
    { key: 'n', value: { intValue: '5' } },
    { key: 'list', value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } } },
  ],
};
const HISTOGRAM = { ...POINT, bucketCounts: ['1', '2'], explicitBounds: [0.1] };
const EXPONENTIAL = {
  ...POINT,
  scale: 3,
  zeroCount: '1',
  positive: { offset: -2, bucketCounts: ['1', '1'] },
  negative: { offset: 0, bucketCounts: [] },
};
const REQUEST = {
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeMetrics: [
        {
          scope: { name: 's', version: '1' },
          metrics: [
            { name: 'a', unit: 's', histogram: { aggregationTemporality: 1, dataPoints: [HISTOGRAM] } },
            {
              name: 'b',
              unit: 'ms',
              exponentialHistogram: { aggregationTemporality: 2, dataPoints: [EXPONENTIAL] },
            },
            { name: 'c', gauge: { dataPoints: [{ asDouble: 1, timeUnixNano: '2' }] } },
            {
              name: 'd',
              sum: {
                aggregationTemporality: 1,
                isMonotonic: true,
                dataPoints: [{ asInt: '7', startTimeUnixNano: '1', timeUnixNano: '2' }],
              },
            },
          ],
        },
      ],
    },
  ],
};

/** A message of protobuf from `[field, value]`: a number is a varint, a bigint a fixed64, a text or a list a message. @param {any[]} fields @returns {Buffer} */
function message(...fields) {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(field << 3), varint(value)]);
      if (typeof value === 'bigint') {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(value);
        return Buffer.concat([varint((field << 3) | 1), bytes]);
      }
      const body = Buffer.from(value);
      return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
    }),
  );
}

/** @param {number} value */
function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** @param {number} value */
const double = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.readBigUInt64LE();
};

const ATTRIBUTE = message([1, 'op'], [2, message([1, 'get'])]);
const EXPLICIT_POINT = message(
  ...[
    [2, 1n],
    [3, 2n],
    [4, 3n],
    [5, double(0.4)],
    [6, message([0, 1n], [0, 2n]).filter((_, i) => i % 9 !== 0)],
  ],
  ...[
    [7, Buffer.from(new Float64Array([0.1]).buffer)],
    [9, ATTRIBUTE],
    [11, double(0.01)],
    [12, double(0.3)],
  ],
);
const EXPONENTIAL_POINT = message(
  ...[
    [1, ATTRIBUTE],
    [2, 1n],
    [3, 2n],
    [4, 3n],
    [5, double(0.4)],
    [6, 6],
    [7, 1n],
  ],
  ...[
    [8, message([1, 3], [2, Buffer.from([1, 1])])],
    [9, message([1, 0])],
    [10, 0],
  ],
);

/** @param {Buffer} point @param {number} kind 9 for explicit buckets, 10 for exponential ones. */
function requestOf(point, kind) {
  const metric = message([1, 'a'], [3, 's'], [kind, message([1, point], [2, 1])]);
  return message([
    1,
    message([1, message([1, ATTRIBUTE])], [2, message([1, message([1, 'scope'])], [2, metric])]),
  ]);
}

/** @returns {Promise<(body: Uint8Array, type: string) => Promise<void>>} */
async function receiving() {
  const { numberStates, otlpReceiver } = await importSource('otel/src/receiver/index.ts');
  const { createRegistry } = await importSource('registry/src/index.ts');
  return async (body, type) => {
    const registry = createRegistry();
    const numbers = numberStates();
    const receiver = otlpReceiver(registry, { numbers });
    const isGzip = body[0] === 0x1f && body[1] === 0x8b;
    const headers = {
      'content-type': type,
      'content-length': `${body.length}`,
      ...(isGzip && { 'content-encoding': 'gzip' }),
    };
    const request = Object.assign(Readable.from([body]), {
      method: 'POST',
      url: '/v1/metrics',
      headers,
      complete: true,
      socket: {},
    });
    const answer = { status: 0, text: '' };
    const response = {
      req: request,
      destroyed: false,
      headersSent: false,
      statusCode: 200,
      setHeader() {},
      once() {},
      on() {},
      off() {},
      writeHead(/** @type {number} */ status) {
        this.statusCode = status;
        return this;
      },
      end(/** @type {any} */ text) {
        answer.status = this.statusCode;
        answer.text = Buffer.from(text ?? '').toString();
        this.headersSent = true;
      },
    };
    await receiver.handle(request, response);
    assertThat(
      [200, 400, 413, 415, 429].includes(answer.status),
      () => `the answer is ${answer.status}: ${answer.text}`,
    );
    if (answer.status !== 200) return;
    assertThat(
      !/is not a function|is not iterable|Cannot read|undefined/.test(answer.text),
      () => answer.text,
    );
    const { errors } = await registry.gather();
    assertThat(errors.length === 0, () => JSON.stringify(errors));
  };
}

/** @returns {Promise<Target>} */
export async function otlpProtobuf() {
  const receive = await receiving();
  const seeds = [requestOf(EXPLICIT_POINT, 9), requestOf(EXPONENTIAL_POINT, 10)];
  seeds.push(gzipSync(/** @type {Buffer} */ (seeds[0])));
  return {
    form: 'bytes',
    seeds,
    gathers: true,
    mostMs: 1000,
    mostMb: 256,
    make(random, make) {
      const what = random.below(4);
      if (what === 0) return changedMessage(random, /** @type {Buffer} */ (seeds[random.below(2)]));
      return what === 1
        ? gzipSync(changedMessage(random, /** @type {Buffer} */ (seeds[random.below(2)])), { level: 1 })
        : make();
    },
    run: (bytes) => receive(bytes, 'application/x-protobuf'),
  };
}

/**
 * Changes a field of a message, and keeps the lengths of the messages around it right.
 *
 * @param {Random} random
 * @param {Buffer} bytes
 * @param {number} [depth]
 * @returns {Buffer}
 */
function changedMessage(random, bytes, depth = 0) {
  /** @type {{ tag: Buffer, body: Buffer, type: number }[]} */
  const fields = [];
  /** @param {number} at */
  const byteAt = (at) => bytes[at] ?? 0;
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    while (byteAt(at) > 127) at++;
    const type = byteAt(start) & 7;
    const tag = bytes.subarray(start, ++at);
    let from = at;
    if (type === 0) while (byteAt(at++) > 127);
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      let length = 0;
      let factor = 1;
      for (; ; at++) {
        length += (byteAt(at) & 127) * factor;
        factor *= 128;
        if (!(byteAt(at) > 127)) break;
      }
      from = ++at;
      at += length;
    } else return bytes;
    if (at > bytes.length) return bytes;
    fields.push({ tag, type, body: bytes.subarray(from, at) });
  }
  if (fields.length === 0) return bytes;
  const place = random.below(fields.length);
  const field = /** @type {typeof fields[number]} */ (fields[place]);
  if (field.type === 2 && depth < 8 && random.below(4) > 0)
    field.body = changedMessage(random, field.body, depth + 1);
  else {
    const edges = [
      [0],
      [1],
      [127],
      [255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
      [255, 255, 255, 255, 15],
    ];
    switch (random.below(5)) {
      case 0:
        fields.splice(place, 1);
        break;
      case 1:
        for (let i = random.oneIn(10) ? 2000 : 1; i > 0; i--) fields.push(field);
        break;
      case 2:
        if (field.type === 0) field.body = Buffer.from(random.of(edges));
        else if (field.type === 1) {
          field.body = Buffer.alloc(8);
          field.body.writeDoubleLE(
            random.of([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 5e-324, -0]),
          );
        } else field.body = Buffer.alloc(random.oneIn(5) ? 20_000 : random.below(40), random.below(256));
        break;
      case 3:
        field.tag = varint((1 + random.below(16)) * 8 + field.type);
        break;
      default:
        field.body = Buffer.concat([field.body, field.body]);
    }
  }
  return Buffer.concat(
    fields.flatMap(({ tag, type, body }) => (type === 2 ? [tag, varint(body.length), body] : [tag, body])),
  );
}

/** @returns {Promise<Target>} */
export async function otlpJson() {
  const receive = await receiving();
  return {
    form: 'json',
    seeds: [JSON.stringify(REQUEST)],
    words: ['"dataPoints":[', '{},', '[', '"NaN"', '"Infinity"', 'histogram', '1e999'],
    gathers: true,
    mostMs: 1000,
    mostMb: 256,
    run: (text) => receive(Buffer.from(text), 'application/json'),
  };
}

const MOST_MESSAGE_BYTES = 64;
// Some inputs have megabytes.
const MOST_CHUNKS = 1000;

/**
 * The status of a refusal of a call's bytes, or the bytes of its message, by the definition of a frame.
 *
 * @param {Buffer} bytes
 * @returns {number | Buffer}
 */
function messageIn(bytes) {
  if (bytes.length === 0) return 404;
  if (bytes.length < 5) return 400;
  const length = bytes.readUInt32BE(1);
  if (bytes.readUInt8() > 1) return 400;
  if (length > MOST_MESSAGE_BYTES) return 413;
  if (bytes.length > 5 + length) return 404;
  return bytes.length < 5 + length ? 400 : bytes.subarray(5);
}

/** @returns {Promise<Target>} */
export async function grpcMessage() {
  const { encodeFrame, UnaryMessage } = await importSource('otel/src/receiver/grpc-message.ts');
  const seeds = ['', 'a', 'message'.repeat(9)].map((text) => encodeFrame(Buffer.from(text)));
  return {
    form: 'bytes',
    seeds: [...seeds, Buffer.concat([seeds[1], seeds[1]]), Buffer.from([1, 0, 0, 0, 2, 8, 1])],
    async run(input) {
      const bytes = Buffer.from(input);
      // The place of the cut changes nothing, so the bytes choose it.
      const size = Math.max(1 + ((bytes.at(-1) ?? 0) % 8), Math.ceil(bytes.length / MOST_CHUNKS));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const message = new UnaryMessage(Readable.from(chunks), MOST_MESSAGE_BYTES);
      /** @type {number | Buffer} */
      let got;
      try {
        got = Buffer.concat(await message.toArray());
        assertThat((await message.isCompressed) === (bytes[0] === 1), () => 'the flag is another');
      } catch (error) {
        const { status } = /** @type {{ status?: number }} */ (error);
        if (status === undefined) throw error;
        got = status;
      }
      const wanted = messageIn(bytes);
      const isEqual = Buffer.isBuffer(got) && Buffer.isBuffer(wanted) ? got.equals(wanted) : got === wanted;
      assertThat(isEqual, () => `the message is ${got}, not ${wanted}`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function otlpAnswer() {
  const sender = await importSource('otel/src/sender/answer.ts');
  const { partialSuccessIn, partialSuccessInJson, statusIn } = sender;
  const { retryAfterMs } = await importSource('kit/src/delivery/index.ts');
  const retryInfo = message(
    [1, 'type.googleapis.com/google.rpc.RetryInfo'],
    [2, message([1, message([1, 3], [2, 500])])],
  );
  const seeds = [
    message([1, message([1, 7], [2, 'too old'])]),
    message([1, 14], [2, 'not now'], [3, retryInfo]),
    Buffer.from('{"partialSuccess":{"rejectedDataPoints":"7","errorMessage":"too old"}}'),
    Buffer.from('Wed, 21 Oct 2026 07:28:00 GMT'),
    Buffer.from('120'),
  ];
  return {
    form: 'bytes',
    seeds,
    make: (random, make) =>
      random.oneIn(2) ? changedMessage(random, /** @type {Buffer} */ (seeds[random.below(2)])) : make(),
    run(bytes) {
      const text = Buffer.from(bytes).toString();
      for (const partial of [partialSuccessIn(bytes), partialSuccessInJson(text)]) {
        const points = partial?.rejectedPoints ?? 0;
        assertThat(Number.isSafeInteger(points) && points >= 0, () => `${points} points are rejected`);
      }
      for (const wait of [statusIn(bytes).retryAfterMs, retryAfterMs(text, 1000)]) {
        assertThat(wait === undefined || wait >= 0, () => `it waits for ${wait} ms`);
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function otlpVariables() {
  const { otlpOptionsFromEnvironment } = await importSource('otel/src/sender/from-environment.ts');
  return {
    form: 'text',
    seeds: [
      'ENDPOINT=https://collector:4318\nHEADERS=authorization=Bearer%20abc,x=1',
      'METRICS_PROTOCOL=grpc\nENDPOINT=collector:4317\nINSECURE=true\nTIMEOUT=500\nCOMPRESSION=gzip',
      'PROTOCOL=http/json\nMETRICS_TEMPORALITY_PREFERENCE=delta\nCERTIFICATE=/etc/ca.pem',
    ],
    words: ['\n', '=', ',', '%', '%20', 'METRICS_', 'ENDPOINT', 'HEADERS', 'http://', 'unix:', ':', '/'],
    run(text) {
      const lines = text.split('\n').map((/** @type {string} */ line) => line.split(/=(.*)/s));
      const entries = lines.map((/** @type {string[]} */ [name, value]) => [
        `OTEL_EXPORTER_OTLP_${name}`,
        value ?? '',
      ]);
      const { options, warnings } = otlpOptionsFromEnvironment(Object.fromEntries(entries));
      assertThat(typeof options.protocol === 'string', () => `the protocol is ${options.protocol}`);
      assertThat(URL.canParse(options.url), () => `the address is ${options.url}`);
      assertThat(warnings.length <= text.length + 1, () => `there are ${warnings.length} warnings`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function viewSetting() {
  const { readViews } = await importSource('otel/src/register/views.ts');
  const { createHdr } = await importSource('otel/src/index.ts');
  return {
    form: 'text',
    seeds: [
      'http.*.duration;significantDigits=3;denyAttributes=user.id|url.path, db.*;boundaries=0.1|0.5',
      '[{"instrumentName":"http.*","significantDigits":3,"aggregationCardinalityLimit":100}]',
      '{"views":[{"instrumentName":"*","tee":true}]}',
      'none',
    ],
    words: [
      ';',
      ',',
      '|',
      '=',
      '*',
      '?',
      '[',
      '{',
      '"',
      'maxSize',
      'resolution',
      'tee',
      'true',
      '1e9',
      '.json',
    ],
    run(text) {
      const { views, problems } = readViews(text, () => undefined);
      for (const { code } of problems) assertThat(code === 'ERR_INVALID_OPTION', () => `a code is ${code}`);
      createHdr({ views });
    },
  };
}
