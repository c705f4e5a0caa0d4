import { HdrscopeError } from '@hdrscope/core';
import { recogniseOtlp } from '@hdrscope/inputs/history';
import { splitRequests } from '@hdrscope/inputs/internal';
import { decodeOtlp, type OtlpPoint } from '@hdrscope/otel/receiver';
import { Refusal } from '../command.ts';
import type { ReadSketch } from './read-sketch.ts';

/**
 * Reads the histograms of a file of OTLP: the last point of each cumulative stream.
 *
 * @throws Refusal when a stream has several points with counts of their own, which have to be added up.
 */
export async function readOtlpSketches(
  bytes: Uint8Array,
  name: string,
): Promise<{ readonly sketches: readonly ReadSketch[]; readonly notes: readonly string[] }> {
  const streams = new Map<string, OtlpPoint>();
  const notes: string[] = [];
  for await (const request of splitRequests(once(bytes), recogniseOtlp(bytes) ?? 'json', name)) {
    if (request.bytes === undefined)
      throw new HdrscopeError('ERR_DECODE', `${name} ends within request ${request.place}`);
    const { points, refusals } = await decodeOtlp(request.bytes, request.encoding);
    if (refusals.pointCount > 0) {
      notes.push(
        `${refusals.pointCount} points of request ${request.place} are left out: ${refusals.message}`,
      );
    }
    for (const point of points) addPoint(streams, point, name);
  }
  const sketches = Array.from(streams.values(), ({ reading }): ReadSketch => {
    const { family, attributes, counted, sum, min, max } = reading;
    return {
      name: family.name,
      attributes: formatAttributes(attributes),
      unit: family.unit,
      counted,
      sum,
      min,
      max,
    };
  });
  return { sketches, notes };
}

function addPoint(streams: Map<string, OtlpPoint>, point: OtlpPoint, name: string): void {
  const { key, counter = {} } = point.reading;
  const before = streams.get(key);
  if (before !== undefined) {
    const isOneLife = counter.temporality !== 'delta' && before.reading.counter?.epoch === counter.epoch;
    if (!isOneLife) {
      throw new Refusal(
        `${name} has several points of ${point.reading.family.name} with counts of their own: hdrscope history import adds them up`,
      );
    }
    if ((point.timeMs ?? 0) < (before.timeMs ?? 0)) return;
  }
  streams.set(key, point);
}

function formatAttributes(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
