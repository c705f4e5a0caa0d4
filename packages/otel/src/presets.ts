import type { HdrView } from './view.ts';

/**
 * What all views of a preset have. So many buckets hold values that span a factor of 2^20 at scale 6, the finest that two digits
 * justify: read as the middle of its bucket, a quantile is off by at most 0.93 %.
 */
const PRECISE = { significantDigits: 2, maxSize: 1280 } as const satisfies Partial<HdrView>;

/** Tells servers of one provider apart, which is a series for each of them. */
const SERVER = ['server.address', 'server.port'];

const OPERATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/**
 * Views of the histograms of the conventions for generative AI: token usage, durations of operations, time to first token or chunk, and
 * time per output token, by model and provider. Percentiles are within 1 %, also in exponential buckets. The attributes
 * `server.address` and `server.port` are dropped. Boundaries are those that the conventions advise. In `HDRSCOPE_VIEWS`, they are
 * `preset:gen_ai`.
 *
 * @example
 * ```ts
 * import { createHdr, GEN_AI_VIEWS } from '@hdrscope/otel';
 *
 * const hdr = createHdr({ views: [...GEN_AI_VIEWS, { instrumentName: 'http.*.duration' }] });
 * ```
 */
// https://github.com/open-telemetry/semantic-conventions/blob/main/docs/gen-ai/gen-ai-metrics.md
export const GEN_AI_VIEWS: readonly HdrView[] = [
  {
    instrumentName: 'gen_ai.client.token.usage',
    boundaries: [
      1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
    ],
  },
  { instrumentName: 'gen_ai.client.operation.duration', boundaries: OPERATION_SECONDS },
  { instrumentName: 'gen_ai.server.request.duration', boundaries: OPERATION_SECONDS },
  {
    instrumentName: 'gen_ai.server.time_to_first_token',
    boundaries: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
  {
    instrumentName: 'gen_ai.server.time_per_output_token',
    boundaries: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  },
  // Times to the first chunk, those of agents and tools, and what the conventions add.
  { instrumentName: 'gen_ai.*' },
].map((view) => ({ ...view, ...PRECISE, denyAttributes: SERVER }));

const MESSAGING_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Views of the histograms of the conventions for messaging: durations of operations of clients and of processing, by system, operation,
 * destination and consumer group. Percentiles are within 1 %, also in exponential buckets. The attributes `server.address`,
 * `server.port`, `messaging.destination.partition.id` and `messaging.client.id` are dropped. Boundaries are those that the conventions
 * advise. In `HDRSCOPE_VIEWS`, they are `preset:messaging`.
 */
// https://github.com/open-telemetry/semantic-conventions/blob/main/docs/messaging/messaging-metrics.md
export const MESSAGING_VIEWS: readonly HdrView[] = [
  { instrumentName: 'messaging.client.operation.duration', boundaries: MESSAGING_SECONDS },
  { instrumentName: 'messaging.process.duration', boundaries: MESSAGING_SECONDS },
  // Those of earlier conventions, such as messaging.publish.duration.
  { instrumentName: 'messaging.*' },
].map((view) => ({
  ...view,
  ...PRECISE,
  denyAttributes: [...SERVER, 'messaging.destination.partition.id', 'messaging.client.id'],
}));

/** By the names that `HDRSCOPE_VIEWS` has for them. */
export const PRESETS: Readonly<Record<string, readonly HdrView[]>> = {
  gen_ai: GEN_AI_VIEWS,
  messaging: MESSAGING_VIEWS,
};

/** Whether nobody expects the view to select something: its preset has another one that selects the same and more. */
export function isPartOfPreset(view: HdrView): boolean {
  return !view.instrumentName?.includes('*') && Object.values(PRESETS).some((views) => views.includes(view));
}
