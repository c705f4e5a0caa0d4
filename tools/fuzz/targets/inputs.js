import { readFileSync } from 'node:fs';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** @returns {Promise<Target>} */
export async function inputForm() {
  const { readEncoded, recogniseInput } = await importSource('inputs/src/index.ts');
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
    mostMb: 512,
    gathers: true,
    run(text) {
      recogniseInput(text);
      const form = recogniseInput(text, { isWhole: true });
      return form === 'encoded' ? readEncoded(new TextEncoder().encode(text)) : undefined;
    },
  };
}

/** @returns {Promise<Target>} */
export async function gatlingLog() {
  const { readRequests } = await importSource('inputs/src/index.ts');
  const goldens = new URL('../../../packages/inputs/test/load/goldens/', import.meta.url);
  const seeds = ['gatling-3.12.0.log', 'gatling-3.14.9.log'].map(
    (name) => new Uint8Array(readFileSync(new URL(name, goldens)).subarray(0, 2000)),
  );
  return {
    form: 'bytes',
    seeds,
    gathers: true,
    async run(bytes) {
      let requests = 0;
      let outcomes = 0;
      await readRequests('gatling log', bytes, {
        onRequest(/** @type {number} */ ms) {
          requests++;
          assertThat(ms >= 0 && Number.isFinite(ms), () => `a request took ${ms} ms`);
        },
        onOutcome() {
          outcomes++;
        },
      });
      assertThat(requests === outcomes, () => `${requests} requests have ${outcomes} outcomes`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function loadSummary() {
  const { readLoadSummary } = await importSource('inputs/src/index.ts');
  return {
    form: 'text',
    seeds: [
      'Type,Name,Request Count,Failure Count,Max Response Time,50%,99.9%,100%\nGET,/a,4,1,9.5,3,9,9\n,Aggregated,4,1,9.5,3,9,9\n',
      '{"aggregate":{"counters":{"http.requests":5,"http.responses":5,"http.codes.503":1},"summaries":{"http.response_time":{"count":5,"max":9.1,"p50":2,"p999":9}}}}',
      '{"sampleInt":1000,"latency":{"p50":4,"max":90,"totalCount":200},"requests":{"total":200},"non2xx":3,"errors":0}',
      '{"summary":{"slowest":0.5},"latencyPercentiles":{"p50":0.02},"statusCodeDistribution":{"200":99,"503":1}}',
      '{"metrics":{"http_req_failed":{"passes":6,"fails":994},"http_reqs":{"count":1000},"http_req_duration":{"med":2.5,"p(99.9)":20.5,"max":30}}}',
    ],
    words: ['"', ',', '%', 'Aggregated', '1e308', '-1', 'null', '{}', '[]', '0.5'],
    gathers: true,
    async run(text) {
      const { count, percentiles } = await readLoadSummary(new TextEncoder().encode(text));
      for (const { percentile, lower, upper, atOrBelow, below } of percentiles) {
        const name = `p${percentile}`;
        assertThat(lower <= upper, () => `${name} lies between ${lower} and ${upper}`);
        assertThat(
          below <= atOrBelow,
          () => `${name} has ${below} values below and ${atOrBelow} at or below`,
        );
        assertThat(count === undefined || atOrBelow <= count, () => `${name} has ${atOrBelow} of ${count}`);
      }
    },
  };
}
