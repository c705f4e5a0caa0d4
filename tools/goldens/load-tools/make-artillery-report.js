// Writes artillery-2.0.34.json: known durations, in the report that Artillery's own code makes of them. Run it in a folder with Artillery.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { SSMS } = await import(pathToFileURL(resolve('node_modules/artillery/dist/lib/core/ssms.js')).href);
const metrics = new SSMS();
let state = 1;
for (let i = 0; i < 5000; i++) {
  state = (state * 48_271) % 2_147_483_647;
  metrics.counter('http.requests', 1);
  // Every hundredth request has no response.
  if (i % 100 === 0) continue;
  metrics.counter('http.responses', 1);
  metrics.counter(`http.codes.${i % 50 === 1 ? 503 : 200}`, 1);
  metrics.histogram('http.response_time', Math.exp((9.9 * state) / 2_147_483_647) - 1);
}
metrics.aggregate(true);
const period = SSMS.mergeBuckets(metrics.getBucketIds().map((id) => metrics.getMetrics(id)));
const [{ histograms, ...aggregate }] = Object.values(period);
const { summarizeHistogram } = SSMS;
aggregate.summaries = Object.fromEntries(
  Object.entries(histograms).map(([k, h]) => [k, summarizeHistogram(h)]),
);
writeFileSync('artillery-2.0.34.json', `${JSON.stringify({ aggregate }, undefined, 2)}\n`);
// A timer of the metrics would keep the process alive.
process.exit();
