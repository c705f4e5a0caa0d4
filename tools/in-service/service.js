/**
 * `node service.js INDEX SERIES OTLP_URL`: a service of Fastify whose requests compute for some 0.15 ms, and are counted by the subject
 * with this index, in so many series. The service tells its parent where it listens. It answers each message with the processor time since
 * the message before, and with its memory.
 */
import { fromServices, SUBJECTS } from './subjects.js';

const VALUES_PER_SERIES = 20;
/** Some 0.15 ms. */
const STEPS = 100_000;

const [index, seriesCount, otlpUrl = ''] = process.argv.slice(2);
const subject = SUBJECTS[Number(index)];
if (subject === undefined) throw new Error(`there is no subject ${index}`);
const { record, url } = await subject.start(otlpUrl);
const count = Number(seriesCount);
for (let i = 0; i < VALUES_PER_SERIES * count; i++) record(0.0002 * (1 + (i % 100)), i % count);

const app = fromServices('fastify')();
app.get('/items/:id', async (/** @type {{ params: { id: string } }} */ { params }) => {
  const beganMs = performance.now();
  compute();
  record((performance.now() - beganMs) / 1000, Number(params.id) % count);
  return 'done';
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ port: app.server.address().port, url });

let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  process.send?.({ processorMs: (user + system) / 1000, memoryMb: process.memoryUsage().rss / 2 ** 20 });
});
process.on('disconnect', () => process.exit());

function compute() {
  let sum = 0;
  for (let i = 0; i < STEPS; i++) sum += Math.sqrt(i);
  return sum;
}
