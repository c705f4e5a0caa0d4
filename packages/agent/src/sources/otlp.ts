import { isLoopback } from '@hdrscope/kit/server';
import { type NumberStates, numberStates, type RunningOtlp, serveOtlp } from '@hdrscope/otel/receiver';
import * as z from '#zod';
import { address, oneOf, text, wholeNumber, yesOrNo } from '../config/values.ts';
import { MemoryKind } from '../memory.ts';
import { defineSource, entry, noKernelMaps, type SourcePart } from '../part.ts';
import { formatUrl, guardOptions, noteOpenServer, serverKeys } from '../server.ts';
import { cardinalityLimit, dropAttributes, expireAfter, since } from './shared.ts';

const schema = entry('otlp', 'A receiver of metrics, sent by OpenTelemetry over HTTP or gRPC.', {
  ...serverKeys('127.0.0.1:4318'),
  listen: address
    .optional()
    .describe('The address of the server. Default: 127.0.0.1:4318, or 127.0.0.1:4317 for gRPC.'),
  protocol: oneOf('http', 'grpc')
    .default('http')
    .describe('How clients send: over HTTP, in protobuf or JSON, or over gRPC.'),
  allowRemote: yesOrNo(false).describe(
    'Whether other machines may send without a token: everybody who reaches the port can write then.',
  ),
  resourceAttributes: z
    .array(text('the key of an attribute'), { error: 'must be a list of keys' })
    .default(['service.namespace', 'service.name', 'service.instance.id'])
    .describe('Keys of attributes of the resource that series have, such as host.name.'),
  cardinalityLimit,
  maxStreams: wholeNumber(1, 2 ** 30)
    .default(100_000)
    .describe(
      'How many streams are remembered: a sender has one for each set of attributes of a metric, before any is dropped. Points of further ones are refused.',
    ),
  expireAfter,
  since,
  dropAttributes: dropAttributes.describe(
    'Keys of attributes that histograms do not get, by the names of families, such as "http.*". Series that become equal are added up exactly. Sums and gauges keep their attributes.',
  ),
})
  .transform(({ listen, ...config }) => ({
    ...config,
    listen: listen ?? { host: '127.0.0.1', port: config.protocol === 'grpc' ? 4317 : 4318 },
  }))
  .check(({ value: { listen, allowRemote, token }, issues }) => {
    if (!allowRemote && token === undefined && !isLoopback(listen.host)) {
      const message =
        'must be an address of this machine alone, unless allowRemote is true or there is a token: everybody who reaches the port can write metrics';
      issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
    }
  });

/** The last sums and gauges that receivers got, by the name of the source. */
export const RECEIVED_NUMBERS: MemoryKind<NumberStates> = new MemoryKind();

/** The same, also of sources that have ended. */
const STATES = new MemoryKind<NumberStates>();

/** Metrics that OpenTelemetry sends over HTTP or gRPC. The next gather reports refused requests and points. */
export const otlp: SourcePart = defineSource({
  schema,
  example: `
# Metrics that OpenTelemetry sends over HTTP.
- type: otlp
  listen: 127.0.0.1:4318
`,
  // Two servers cannot listen at one port.
  origin: () => undefined,
  async start(config, context) {
    const { name, listen, protocol, resourceAttributes, cardinalityLimit, maxStreams, since } = config;
    const { expireAfter: expireAfterMs } = config;
    const familyOptions = { cardinalityLimit, ...(expireAfterMs !== undefined && { expireAfterMs }) };
    const { registry, intake, added, succeeded, failed } = context;
    const { memory, dropAttributes } = intake(`otlp ${name}`);
    const states = context.memory.ensure(STATES, name, () => numberStates({ maxStreams }));
    // Failures are reported once for each gather, below.
    const server = await serveOtlp(registry, {
      ...listen,
      protocol,
      ...guardOptions(config, context),
      ...{ memory, dropAttributes, maxStreams, since, resourceAttributes },
      familyOptions: () => familyOptions,
      numbers: states,
      observer: { added },
    });
    noteOpenServer(config, 'can write metrics', context);
    const numbers = context.memory.of(RECEIVED_NUMBERS);
    numbers.set(name, states);
    const refusals = countRefusals(server);
    const collect = (): void => {
      const refused = refusals();
      if (refused === '') {
        succeeded();
        return;
      }
      const error = new Error(`since the previous gather, the receiver has refused ${refused}`);
      failed(error);
      throw error;
    };
    const remove = registry.add({ name, collect });
    return {
      kernelMaps: noKernelMaps,
      note: formatUrl(config, server.port, protocol === 'grpc' ? '' : '/v1/metrics'),
      async stop() {
        remove();
        if (numbers.get(name) === states) numbers.delete(name);
        await server.close();
      },
    };
  },
});

/** Returns a function that describes refusals since its previous call: `1 request, 3 points (malformed)`. */
function countRefusals(server: RunningOtlp): () => string {
  const tallies = (): Record<string, number> => {
    // Some senders have summaries too, and they are not an error.
    const { notHistogram, ...points } = server.health.refused;
    const ofPoints = Object.entries(points).map(([reason, count]) => [`point (${reason})`, count] as const);
    return { request: server.health.failedRequests, ...Object.fromEntries(ofPoints) };
  };
  let before = tallies();
  return () => {
    const now = tallies();
    const refused = Object.entries(now)
      .map(([what, count]) => [what, count - before[what]!] as const)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${count} ${count === 1 ? what : what.replace(/^\w+/, '$&s')}`);
    before = now;
    return refused.join(', ');
  };
}
