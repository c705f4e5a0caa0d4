import { createRegistry } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { createHdr } from '../src/index.ts';
import { decodeOtlp, numberStates, otlpReceiver, serveOtlp } from '../src/receiver/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const hdr = createHdr({ views: [{ instrumentName: '*' }] });

test.each<[call: string, meant: string, action: () => unknown]>([
  ['createHdr', 'exemplarFilter', () => createHdr(wrong({ views: [], exemplarsFilter: 'always_on' }))],
  [
    'a view',
    'significantDigits',
    () => createHdr({ views: [wrong({ instrumentName: '*', significantDigit: 3 })] }),
  ],
  ['hdr.wrapReader', 'format', () => hdr.wrapReader(wrong({}), wrong({ formt: 'explicit' }))],
  ['hdr.producer', 'temporality', () => hdr.producer(wrong({ temporalty: 'delta' }))],
  ['otlpReceiver', 'maxStreams', () => otlpReceiver(createRegistry(), wrong({ maxStream: 7 }))],
  ['decodeOtlp', 'maxElements', () => decodeOtlp(new Uint8Array(), 'protobuf', wrong({ maxElement: 7 }))],
  ['numberStates', 'maxStreams', () => numberStates(wrong({ maxStream: 7 }))],
  ['serveOtlp', 'host', () => serveOtlp(createRegistry(), wrong({ hots: '127.0.0.1' }))],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});
