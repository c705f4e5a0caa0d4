// Answers the questions of run.js with the readers of hdrscope:
//
//     npm run conformance -- node --conditions=@hdrscope/source --import ./tools/lib/sources.js tools/conformance/hdrscope.js

import { createInterface } from 'node:readline';
import { Histogram } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { findNominalBounds } from '@hdrscope/inputs/internal';
import {
  readDdsketch,
  readDdsketchBinary,
  readElasticsearch,
  readEnvoyStats,
  readVmranges,
} from '@hdrscope/inputs/sketches';
import { decodeOtlp } from '@hdrscope/otel/receiver';
import { readExposition } from '@hdrscope/prometheus/scraper';

/** @typedef {import('@hdrscope/core').Counted | undefined} Found */
/** @type {Record<string, (input: string, writer: any) => Found | Promise<Found>>} */
const READERS = {
  base64: (input) => Histogram.decode(input),
  ddsketch: (input, writer) => readDdsketch(Buffer.from(input, 'base64'), writer).counted,
  'ddsketch-binary': (input) => readDdsketchBinary(Buffer.from(input, 'base64')).counted,
  elasticsearch: (input) => readElasticsearch(input).counted,
  circllhist: (input) => readEnvoyStats(input)[0]?.counted,
  vmrange: (input) => readVmranges(input)[0]?.counted,
  prometheus: (input) => readFamily(Buffer.from(input), 'text'),
  'prometheus-protobuf': (input) => readFamily(Buffer.from(input, 'base64'), 'protobuf'),
  otlp: (input) => readPoint(Buffer.from(input), 'json'),
  'otlp-protobuf': (input) => readPoint(Buffer.from(input, 'base64'), 'protobuf'),
};

/** @param {Uint8Array} bytes @param {'text' | 'protobuf'} format */
function readFamily(bytes, format) {
  return readExposition(bytes, format).families[0]?.histograms[0]?.counted;
}

/** @param {Uint8Array} bytes @param {'json' | 'protobuf'} encoding */
async function readPoint(bytes, encoding) {
  const { points } = await decodeOtlp(bytes, encoding);
  return points[0]?.reading.counted;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, form, writer, input } = JSON.parse(line);
  const counted = await READERS[form]?.(input, writer);
  if (counted === undefined) console.log(JSON.stringify({ id, unsupported: true }));
  else {
    const { layout, counts } = counted;
    // JSON has no infinite number.
    const slots = Array.from(usedSlots(counts), ([slot, count]) => {
      // The libraries do not say which bins may have taken values from beside them.
      const { lower, upper } = findNominalBounds(layout, slot);
      return [Math.max(lower, -Number.MAX_VALUE), Math.min(upper, Number.MAX_VALUE), count];
    });
    console.log(JSON.stringify({ id, slots }));
  }
}
