// Sends values with the clients of npm. The protocol is that of tools/peers/README.md; the argument is the folder of the packages.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const load = createRequire(join(process.argv[2], 'x.js'));
const { target, isPlain, tags, values } = JSON.parse(await text(process.stdin));
const { host, port } = target;

const HotShots = load('hot-shots');
const hot = new HotShots({ host, port, globalTags: tags, maxBufferSize: isPlain ? 0 : 1400 });
const send = { ms: 'timing', h: 'histogram', d: 'distribution' };
for (const [type, list] of Object.entries(values)) {
  for (const value of list) hot[send[type]](`hot.${type}`, value);
}
await new Promise((resolve) => hot.close(resolve));

const Client = load('statsd-client');
const client = new Client({ host, port, tags });
for (const value of values.ms) client.timing('client.ms', value);
for (const value of values.d) client.distribution('client.d', value);
await new Promise((resolve) => setTimeout(resolve, 300));
client.close();

const NodeStatsd = load('node-statsd');
const node = new NodeStatsd(host, port);
let left = values.ms.length;
for (const value of values.ms) node.timing('node.ms', value, 1, () => --left === 0 && node.close());
