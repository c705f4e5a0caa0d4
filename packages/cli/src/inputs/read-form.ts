import { HdrscopeError } from '@hdrscope/core';
import { resolutionOf, scaledLayout, visible } from '@hdrscope/core/internal';
import { readCounts, readEncoded, readFigures, recogniseInput } from '@hdrscope/inputs';
import { recogniseOtlp } from '@hdrscope/inputs/history';
import { hasCounts, limitWhole, rebuildPercentileText, valueScaleOf } from '@hdrscope/inputs/internal';
import {
  readDdsketch,
  readDdsketchBinary,
  readElasticsearch,
  readEnvoyStats,
  readVmranges,
  type Sketch,
} from '@hdrscope/inputs/sketches';
import { type LogSource, sumLogs } from '@hdrscope/interval-log';
import { readUnzipped } from '@hdrscope/interval-log/internal';
import { joinBytes } from '@hdrscope/kit';
import { readExposition } from '@hdrscope/prometheus/scraper';
import { Refusal } from '../command.ts';
import type { ReadingProgress } from '../screen/progress.ts';
import { describeForm, type FormName, findForm } from './forms.ts';
import { explained } from './input.ts';
import { readOtlpSketches } from './read-otlp.ts';
import type { ReadSketch } from './read-sketch.ts';

/** What an input has. */
export interface ReadForm {
  readonly form: FormName;
  readonly sketches: readonly ReadSketch[];
  /** What was lost before the form was written, for the person. */
  readonly notes: readonly string[];
}

const BEGINNING_BYTES = 2 ** 16;

/** Reads all bytes of an input, decompressed. @throws Refusal when there are more than 64 MiB */
export async function readBytes(
  source: LogSource,
  name: string,
  { onBytes, finish }: ReadingProgress,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    await explained(async () => {
      const bytes = limitWhole(readUnzipped(source, onBytes), 'a file of distributions', { name });
      for await (const chunk of bytes) chunks.push(chunk);
    });
  } finally {
    finish();
  }
  return joinBytes(chunks);
}

/** The form that bytes have by their content. @throws Refusal when no form is found, or the form does not have all counts */
export function recogniseForm(bytes: Uint8Array, name: string): FormName {
  if (recogniseOtlp(bytes) === 'json') return 'otlp';
  const beginning = bytes.subarray(0, BEGINNING_BYTES);
  const kind = recogniseInput(beginning, { isWhole: bytes.length <= BEGINNING_BYTES });
  if (kind === 'ddsketch') throw new Refusal(describeForm(name, kind));
  if (kind === 'numbers' || kind === 'table')
    throw new Refusal(`${name} has numbers and no counts: hdrscope record --format base64 counts them`);
  const form = kind === undefined ? undefined : findForm(kind).convert;
  if (form !== undefined) return form as FormName;
  if (recogniseOtlp(bytes) === 'protobuf') return 'otlp';
  throw new Refusal(
    `${name} shows no form with counts by its content: --from names the form, and hdrscope convert --help lists all`,
  );
}

/** Reads the distributions of bytes. @throws Refusal, UsageError */
export function readForm(form: FormName, bytes: Uint8Array, name: string): Promise<ReadForm> {
  return explained(async () => {
    try {
      const { notes = [], sketches } = await READERS[form](bytes, name);
      return { form, sketches, notes };
    } catch (error) {
      if (!(error instanceof HdrscopeError) || error.message.startsWith(name)) throw error;
      throw new HdrscopeError(error.code, `${name}: ${error.message}`, {
        cause: error,
        details: error.details,
      });
    }
  });
}

type Reader = (
  bytes: Uint8Array,
  name: string,
) => Promise<{ readonly sketches: readonly ReadSketch[]; readonly notes?: readonly string[] }>;

function single(sketch: Sketch, unit?: string): { readonly sketches: readonly ReadSketch[] } {
  return { sketches: [{ name: '', attributes: {}, unit, ...sketch }] };
}

/** A sketch of a store that may have collapsed at its highest bins, where nothing states its largest value. */
function collapsible(sketch: Sketch, name: string): Awaited<ReturnType<Reader>> {
  const isKnown = sketch.max !== undefined || sketch.counted.counts.total === 0;
  const note = `${name} does not state whether its largest bin has taken larger values, as that of a store that collapses its highest bins does`;
  return { ...single(sketch), notes: isKnown ? [] : [note] };
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

const READERS: Readonly<Record<FormName, Reader>> = {
  async hlog(bytes) {
    const histogram = await sumLogs([bytes]);
    if (histogram === undefined) throw new Refusal('the log has no intervals');
    return single({ counted: histogram });
  },
  base64: async (bytes, name) => single({ counted: await readEncoded(bytes, { name }) }),
  async json(bytes, name) {
    const { histogram, unit, resolution } = await readFigures(bytes, { name });
    const layout = scaledLayout(histogram.layout, resolutionOf(resolution));
    return single({ counted: { layout, counts: histogram.counts } }, unit);
  },
  ddsketch: async (bytes, name) => collapsible(readDdsketch(bytes, 'sketches-java'), name),
  'ddsketch-js': async (bytes, name) => collapsible(readDdsketch(bytes, 'sketches-js'), name),
  'ddsketch-py': async (bytes, name) => collapsible(readDdsketch(bytes, 'sketches-py'), name),
  'ddsketch-binary': async (bytes, name) => collapsible(readDdsketchBinary(bytes), name),
  elasticsearch: async (bytes) => single(readElasticsearch(decodeText(bytes))),
  envoy: async (bytes) => ({ sketches: readEnvoyStats(decodeText(bytes)) }),
  vmrange: async (bytes) => ({ sketches: readVmranges(decodeText(bytes)) }),
  prometheus: async (bytes) => readScrape(bytes, 'text'),
  'prometheus-protobuf': async (bytes) => readScrape(bytes, 'protobuf'),
  otlp: readOtlpSketches,
  async percentiles(bytes, name) {
    const { values, losses } = rebuildPercentileText(decodeText(bytes), {
      name,
      scale: valueScaleOf('none'),
      unit: undefined,
    });
    return { ...single({ counted: values.histogram }), notes: losses };
  },
  async counts(bytes, name) {
    const kind = recogniseInput(bytes.subarray(0, BEGINNING_BYTES));
    if (kind === undefined || !hasCounts(kind))
      throw new Refusal(`${name} is no output of fio or Locust with counts`);
    const all = await readCounts(kind, bytes, { name });
    return {
      sketches: all.map(({ labels, counts, min, max }) => ({
        name: kind,
        attributes: labels,
        counted: counts,
        min,
        max,
        unit: 'ns',
      })),
    };
  },
};

function readScrape(bytes: Uint8Array, format: 'text' | 'protobuf') {
  const { families, refusals } = readExposition(bytes, format);
  const sketches = families.flatMap(({ name, unit, histograms }) =>
    histograms.map(
      ({ labels, counted, sum }): ReadSketch => ({ name, attributes: labels, counted, sum, unit }),
    ),
  );
  return {
    sketches,
    notes: refusals.map(({ family, problem }) => `${visible(family)} is left out: it ${problem}`),
  };
}
