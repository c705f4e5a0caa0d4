import { type OtlpSender, type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import { decodedJson, decodedProtobuf } from '../receiver/support/receiving.ts';
import { type Misbehave, startEndpoint } from './support.ts';

export const PLAIN = {
  temporality: 'delta',
  compression: 'none',
  intervalMs: 3_600_000,
} as const satisfies Partial<OtlpSenderOptions>;

/** The identities of the points in a body, and how many values they have. */
export function pointsIn(body: Buffer): Map<string, number> {
  const metrics = body[0] === 0x7b ? decodedJson(body.toString()) : decodedProtobuf(body);
  return new Map(
    metrics.flatMap(({ name, data }) =>
      data.kind === 'other' || data.kind === 'number'
        ? []
        : data.points.map(({ attributes, startNs, timeNs, count }): [string, number] => [
            JSON.stringify([name, attributes, `${startNs}`, `${timeNs}`]),
            count,
          ]),
    ),
  );
}

export const answering =
  (status: number, text = ''): Misbehave =>
  (_, response) =>
    response.writeHead(status).end(text);

export const takenThen =
  (end: Misbehave): Misbehave =>
  async (request, response, body, take) => {
    await take();
    await end(request, response, body, take);
  };

const broken: Misbehave = (request) => request.socket.destroy();

/** What can happen to a request. */
const FATES: readonly Misbehave[] = [
  answering(503),
  answering(400, 'no'),
  answering(500),
  takenThen(answering(502)),
  broken,
  takenThen(broken),
];

/** An endpoint that remembers which points it has acknowledged, and which came again after that. */
export async function startLedger(nextFate: () => Misbehave | undefined, limit = Number.POSITIVE_INFINITY) {
  const acknowledged = new Set<string>();
  const repeated: string[] = [];
  const sizes: number[] = [];
  const endpoint = await startEndpoint(() => async (request, response, body, take) => {
    sizes.push(body.length);
    const points = [...pointsIn(body).keys()];
    repeated.push(...points.filter((point) => acknowledged.has(point)));
    const fate = body.length > limit ? answering(413) : nextFate();
    if (fate !== undefined) return fate(request, response, body, take);
    await take();
    for (const point of points) acknowledged.add(point);
    return response.writeHead(200).end();
  });
  return { endpoint, repeated, sizes };
}

export function manySeries(registry: Registry, count: number): { record(step: number): number } {
  const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
  const series = Array.from({ length: count }, (_, i) => family.with({ job: `job-${i}` }));
  return {
    /** Records in some of the series, and returns how many values. */
    record(step) {
      const some = series.filter((_, i) => i % ((step % 3) + 1) === 0);
      for (const one of some) one.record(1 + ((step * 7) % 90));
      return some.length;
    },
  };
}

export async function untilDelivered(sender: OtlpSender, url = ''): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const error = await sender.flush().then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (error === undefined) return;
  }
  throw new Error(`nothing is delivered to ${url}`);
}

/**
 * Whatever happens to some requests of a delivery, no part is lost and none is sent after it was taken.
 *
 * @param cases How many deliveries are tried.
 */
export async function expectNothingLost(
  protocol: 'http/protobuf' | 'http/json',
  cases: number,
): Promise<void> {
  const fates = fc.array(fc.option(fc.nat({ max: FATES.length - 1 }), { nil: undefined, freq: 2 }), {
    minLength: 1,
    maxLength: 12,
  });
  // A point has 100 bytes in protobuf, and 400 in JSON.
  const sizes = fc.integer({ min: 50, max: 3000 });
  await fc.assert(
    fc.asyncProperty(fates, sizes, sizes, async (given, maxRequestBytes, limit) => {
      const left = [...given];
      const { endpoint, repeated } = await startLedger(() => {
        const fate = left.shift();
        return fate === undefined ? undefined : FATES[fate];
      }, limit);
      const registry = createRegistry();
      const ledger = manySeries(registry, 9);
      const options = { url: endpoint.url, protocol, maxRequestBytes, ...PLAIN };
      const sender = sendOtlp(registry, options);
      let recorded = 0;
      for (let step = 0; step < 4; step++) {
        recorded += ledger.record(step);
        await sender.flush().catch(() => {});
      }
      await untilDelivered(sender);
      const { givenUpValues, tooLargePoints, pendingValues } = sender.health;
      expect(repeated).toEqual([]);
      expect((await endpoint.values()) + givenUpValues).toBe(recorded);
      expect(pendingValues).toBe(0);
      // Only a point that is alone in its request can be given up.
      expect(tooLargePoints === 0).toBe(givenUpValues === 0);
      await sender.close();
      await endpoint.close();
    }),
    { numRuns: cases },
  );
}
