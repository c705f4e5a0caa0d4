import { createRegistry } from '@hdrscope/registry';
import { expectOptionsChecked } from '@hdrscope/testing/refusals';
import { createHdr } from '../src/index.ts';
import { decodeOtlp, numberStates, otlpReceiver, serveOtlp } from '../src/receiver/index.ts';
import type { Reader } from '../src/sdk.ts';
import { sendOtlp } from '../src/sender/index.ts';

const hdr = createHdr({ views: [{ instrumentName: '*' }] });
const registry = createRegistry();

test.each<[call: string, call: (options: never) => unknown, required?: object]>([
  ['createHdr', (options) => createHdr(options), { views: [] }],
  ['a view', (view) => createHdr({ views: [view] }), { instrumentName: 'a' }],
  ['hdr.wrapReader', (options) => hdr.wrapReader({} as Reader, options)],
  ['hdr.producer', (options) => hdr.producer(options)],
  ['otlpReceiver', (options) => otlpReceiver(registry, options)],
  ['decodeOtlp', (options) => decodeOtlp(new Uint8Array(), 'protobuf', options)],
  ['numberStates', (options) => numberStates(options)],
  ['serveOtlp', (options) => serveOtlp(registry, options), { host: '127.0.0.1', port: 0 }],
  [
    'sendOtlp',
    (options) =>
      sendOtlp(registry, options)
        .close({ timeoutMs: 1 })
        .catch(() => {}),
    { url: 'http://127.0.0.1:1/', timeoutMs: 1 },
  ],
])('%s refuses options of wrong kinds', async (_name, ...checked) => {
  await expectOptionsChecked(...checked);
});
