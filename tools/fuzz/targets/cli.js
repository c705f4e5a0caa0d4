import { assertThat } from '../check.js';
import { importSource } from '../import-source.js';

/** @typedef {import('../engine.js').Target} Target */

/** The line that a command prints for an error. @param {any} error */
const isRefusal = (error) => error?.name === 'Refusal' || error?.constructor?.name === 'UsageError';

/** @returns {Promise<Target>} */
export async function inputKind() {
  const { kindOf } = await importSource('cli/src/inputs/kinds.ts');
  const { decodeEncoded, isEncoded } = await importSource('cli/src/inputs/encoded-histogram.ts');
  return {
    form: 'text',
    seeds: [
      'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
      '# ms\n1\n2.5\n',
      '{"osd":{"op_r":{"axes":[]}}}',
      '       Value     Percentile TotalCount 1/(1-Percentile)\n\n',
      '#[Histogram log format version 1.3]\n',
    ],
    words: ['HIST', 'DHIST', ' HIST', '"axes":', '#', '1e5', '\t', '  '],
    allows: isRefusal,
    mostMb: 512,
    gathers: true,
    run(text) {
      kindOf(text, true);
      kindOf(text, false);
      return isEncoded(text) ? decodeEncoded(text, 'a file') : undefined;
    },
  };
}

/** @returns {Promise<Target>} */
export async function scrapeBounds() {
  const { boundsInScrape } = await importSource('cli/src/slo/prometheus.ts');
  return {
    form: 'text',
    seeds: [
      '# TYPE x histogram\nx_bucket{a="b",le="0.1"} 2\nx_bucket{le="+Inf"} 3\nx_sum 1\nx_count 3\n',
      '{"x_bucket",le="0.25"} 1\n{"x_bucket", path="a,le=\\"5\\"", le="0.5"} 1\n',
    ],
    words: ['x_bucket{', '{"x_bucket",', 'le="', '"', '\\', '\n', '+Inf', '1e-3', ',', '}'],
    allows: isRefusal,
    run(text) {
      /** @type {number[]} */
      const bounds = boundsInScrape(text, 'x', 'a scrape');
      const isAscending = bounds.every(
        (bound, i) => i === 0 || bound > /** @type {number} */ (bounds[i - 1]),
      );
      assertThat(bounds.length > 0 && isAscending, () => `the bounds are ${bounds}`);
      assertThat(bounds.every(Number.isFinite), () => `the bounds are ${bounds}`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function moment() {
  const { parseMoment } = await importSource('cli/src/inputs/moment.ts');
  return {
    form: 'text',
    seeds: [
      '90',
      '1m30s',
      '2026-03-01T12:00:00Z',
      '2026-03-01 12:00',
      '1441812279.474',
      '2026-03-01T12:00:00+02:00',
    ],
    words: ['T', 'Z', '+', ':', '-', '.', 'm', 's', 'h', '00', ' '],
    allows: isRefusal,
    run(text) {
      const { epochSec = 0, offsetSec = 0 } = parseMoment(text, '--from');
      assertThat(Number.isFinite(epochSec) && Number.isFinite(offsetSec), () => `${epochSec}, ${offsetSec}`);
    },
  };
}
