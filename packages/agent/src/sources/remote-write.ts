import { formatCount, listNames } from '@hdrscope/kit';
import { isLoopback } from '@hdrscope/kit/server';
import { serveRemoteWrite } from '@hdrscope/prometheus/receiver';
import * as z from '#zod';
import { size, text, wholeNumber, yesOrNo } from '../config/values.ts';
import { defineSource, entry, noKernelMaps, noteOnce, type SourcePart } from '../part.ts';
import { formatUrl, guardOptions, noteOpenServer, serverKeys } from '../server.ts';
import { attributes, cardinalityLimit, dropAttributes, expireAfter, since } from './shared.ts';

const PATH = '/api/v1/write';
const MOST_SHOWN = 3;
const MOST_STREAMS = 2 ** 30;

const schema = entry('remote-write', "A receiver of Prometheus' remote write 1 and 2: its histograms.", {
  ...serverKeys('127.0.0.1:9201'),
  allowRemote: yesOrNo(false).describe(
    'Whether other machines may send without a token: everybody who reaches the port can write then.',
  ),
  metrics: z
    .array(text('the name of a metric'), { error: 'must be a list of names' })
    .optional()
    .describe('Names of the histograms that count, such as "http_*". Default: all.'),
  maxSize: size.prefault('16MiB').describe('The largest request, on the wire and decompressed.'),
  cardinalityLimit,
  maxStreams: wholeNumber(1, MOST_STREAMS)
    .default(100_000)
    .describe('How many histograms are remembered. Further ones are refused.'),
  expireAfter,
  since,
  attributes,
  dropAttributes,
}).check(({ value: { listen, allowRemote, token }, issues }) => {
  if (!allowRemote && token === undefined && !isLoopback(listen.host)) {
    const message =
      'must be an address of this machine alone, unless allowRemote is true or there is a token: everybody who reaches the port can write metrics';
    issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
  }
});

/** Histograms that Prometheus writes. The next gather reports refused requests and histograms. */
export const remoteWriteReceiver: SourcePart = defineSource({
  schema,
  example: `
# Histograms that Prometheus sends by remote_write, to http://localhost:9201/api/v1/write.
- name: from-prometheus
  type: remote-write
  listen: 127.0.0.1:9201
  metrics: [http_*, grpc_*]
`,
  // Two servers cannot listen at one port.
  origin: () => undefined,
  async start(config, context) {
    const { name, listen, metrics, maxSize, cardinalityLimit, expireAfter, attributes, maxStreams, since } =
      config;
    const { registry, intake, added, succeeded, failed } = context;
    const { memory, dropAttributes } = intake(`remote-write ${name}`);
    let problem = '';
    const server = await serveRemoteWrite(registry, {
      ...listen,
      ...guardOptions(config, context),
      ...{ metrics, cardinalityLimit, expireAfterMs: expireAfter, attributes, memory, dropAttributes },
      ...{ maxStreams, since },
      maxBytes: maxSize,
      observer: {
        added,
        failed: (error) => {
          problem = error instanceof Error ? error.message : String(error);
        },
      },
    });
    noteOpenServer(config, 'can write metrics', context);
    let before = 0;
    let isNoted = false;
    const remove = registry.add({
      name,
      collect() {
        const { failedRequests, refused, leftOut } = server.health;
        const histograms = Object.values(refused).reduce((sum, count) => sum + count, 0);
        const now = failedRequests + histograms;
        if (!isNoted && leftOut.length > 0) {
          isNoted = true;
          noteOnce(`left out: ${listNames(leftOut, MOST_SHOWN)}: they are no histograms`, context);
        }
        const more = now - before;
        before = now;
        if (more === 0) {
          succeeded();
          return;
        }
        const what = more === 1 ? '1 request or histogram' : `${formatCount(more)} requests or histograms`;
        const error = new Error(`since the previous gather, the receiver has refused ${what}: ${problem}`);
        failed(error);
        throw error;
      },
    });
    return {
      kernelMaps: noKernelMaps,
      note: `${formatUrl(config, server.port, PATH)}${metrics === undefined ? '' : `, ${listNames(metrics, MOST_SHOWN)}`}`,
      async stop() {
        remove();
        await server.close();
      },
    };
  },
});
