import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

const ceph = () => importSource('ceph/src/index.ts');

const AXIS = { name: 'Latency (usec)', min: 0, quant_size: 100_000, buckets: 4, scale_type: 'log2' };
const SIZES = { name: 'Request size (bytes)', min: 0, quant_size: 512, buckets: 3, scale_type: 'linear' };
const DUMP = {
  osd: {
    op_r: { axes: [AXIS], values: [0, 7, 2, 1] },
    op_w: {
      axes: [AXIS, SIZES],
      values: [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [0, 0, 1],
      ],
    },
  },
};

/** @returns {Promise<Target>} */
export async function cephDump() {
  const { parseHistogramDump, parseHistogramLoggers } = await ceph();
  return {
    form: 'json',
    seeds: [
      JSON.stringify(DUMP),
      JSON.stringify({ report: { osd_perf_histograms: [DUMP.osd] } }),
      // Counts of 64 bits, which a double rounds.
      JSON.stringify({ osd: { x: { axes: [AXIS], values: [1, 2, 3, 4_711] } } }).replace(
        '4711',
        '18446744073709551615',
      ),
    ],
    words: [
      '"axes":',
      '"values":',
      '[',
      '{',
      'osd.0: ',
      '\n',
      '18446744073709551615',
      '8388609',
      '"buckets":',
      'log2',
    ],
    mostMs: 1000,
    mostMb: 256,
    run(text) {
      for (const { histogram } of parseHistogramDump(`osd.0: ${text}\n`)) {
        assertThat(histogram.totalCount >= 0, () => `${histogram.totalCount} values`);
      }
      parseHistogramLoggers(text);
    },
  };
}

/** @returns {Promise<Target>} */
export async function cephSchema() {
  const { parseHistogramSchema } = await ceph();
  const counter = {
    type: 5,
    metric_type: 'histogram',
    value_type: 'integer-integer-pair',
    description: 'reads',
    nick: 'r',
    priority: 0,
    units: 'none',
  };
  return {
    form: 'json',
    seeds: [JSON.stringify({ osd: { op_r: counter, op_w: { ...counter, priority: 5 } } })],
    words: ['"type":', '[', '{', '\n'],
    run: (text) => parseHistogramSchema(text),
  };
}

/** @returns {Promise<Target>} */
export async function adminRequest() {
  const { findRequest, frameReply, bodyLengthOf, bodyOf } = await importSource(
    'ceph/src/admin-socket/protocol.ts',
  );
  const { answer } = await importSource('ceph/src/admin-socket/answer.ts');
  const { withBuiltIns } = await importSource('ceph/src/admin-socket/commands.ts');
  const commands = withBuiltIns([
    {
      prefix: 'perf dump',
      args: [
        { name: 'logger', required: false },
        { name: 'n', type: 'int', required: false },
        { name: 'kind', type: 'choice', choices: ['a', 'b'], required: false },
        { name: 'rest', repeated: true, required: false },
      ],
      run: (/** @type {unknown} */ args) => ({ args: JSON.stringify(args) }),
    },
  ]);
  const requests = [
    { prefix: 'perf dump', format: 'json', logger: 'osd', n: 5, kind: 'a', rest: ['x', 'y'] },
    { prefix: 'get_command_descriptions' },
    { prefix: 'help', format: 'xml' },
  ];
  return {
    form: 'bytes',
    seeds: [
      ...requests.map((one) => Buffer.from(`${JSON.stringify(one)}\0`)),
      Buffer.from([0, 0, 0, 1]),
      Buffer.from('{"prefix":"0"}\n'),
    ],
    gathers: true,
    async run(bytes) {
      const found = findRequest(Buffer.from(bytes));
      if (found === undefined) return;
      const reply = frameReply(await answer(commands, found));
      const length = bodyLengthOf(reply);
      assertThat(length !== undefined && bodyOf(reply, length).length === length, () => 'the frame is wrong');
      const text = bodyOf(reply, /** @type {number} */ (length)).toString();
      assertThat(!/TypeError|is not a function|Cannot read/.test(text), () => text);
    },
  };
}

/** @returns {Promise<Target>} */
export async function adminReply() {
  const { parseFailure, failureBody } = await importSource('ceph/src/admin-socket/protocol.ts');
  return {
    form: 'text',
    seeds: [
      failureBody('no such counter'),
      failureBody('late', 110),
      'ERROR: (-22) Invalid argument',
      '{"a":1}',
    ],
    words: ['ERROR: (', ')', '-', '22', '\n', '  '],
    run(text) {
      const failure = parseFailure(text);
      assertThat(failure === undefined || failure.errno >= 0, () => `errno is ${failure.errno}`);
    },
  };
}
