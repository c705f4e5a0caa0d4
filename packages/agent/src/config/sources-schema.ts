import { AXIS_UNITS } from '@hdrscope/core/joint';
import { KERNEL_LAYOUT_SYNTAX, MAP_SHAPE_SYNTAX, parseKernelLayout, parseMapShape } from '@hdrscope/ebpf';
import { KERNEL_PROGRAMS } from '@hdrscope/ebpf/loader';
import { isLoopback } from '@hdrscope/kit/server';
import { z } from 'zod';
import { server } from './server-schema.ts';
import type { SourceConfig } from './types.ts';
import {
  acceptedBy,
  address,
  duration,
  mapping,
  metric,
  oneOf,
  text,
  texts,
  unit,
  wholeNumber,
  yesOrNo,
} from './values.ts';

const name = text('a name').optional();
const since = oneOf('beginning', 'now').default('beginning');
const attributes = texts.prefault({});

const intervalLog = mapping({
  type: z.literal('interval-log'),
  name,
  path: text('the path of a log'),
  since,
  poll: duration.prefault('250ms'),
  metric: metric.optional(),
  attributes,
});

const stdin = mapping({ type: z.literal('stdin'), name, metric, attributes });

const pipe = mapping({
  type: z.literal('pipe'),
  name,
  path: text('the path of a named pipe'),
  metric,
  attributes,
});

const ceph = mapping({
  type: z.literal('ceph'),
  name,
  socket: text('the path of an admin socket, or of a folder of them'),
  timeout: duration.prefault('5s'),
  since,
  units: z
    // Bounded: axes have a handful of units.
    .record(z.string(), oneOf(...AXIS_UNITS), {
      error: 'must be a mapping of axes to units',
    })
    .prefault({}),
  classes: mapping({
    axis: text('the name of an axis'),
    bounds: z.array(z.number({ error: 'must be a number' }), { error: 'must be a list of numbers' }),
  }).optional(),
  merged: yesOrNo(false),
  attributes,
});

const SUM = 'must be a field of the value, an index, after-last or none';

const ebpfMap = mapping({
  type: z.literal('ebpf-map'),
  name,
  map: text('the path of a pin, id:N or name:X').regex(/^(?!id:(?![1-9]\d*$))(?!name:$)/, {
    error: 'must be the path of a pin, id:N or name:X',
  }),
  layout: acceptedBy(parseKernelLayout, `a layout: ${KERNEL_LAYOUT_SYNTAX}`).optional(),
  shape: acceptedBy(parseMapShape, `a shape: ${MAP_SHAPE_SYNTAX}`).optional(),
  sum: z
    .union([text('a sum'), z.int({ error: SUM }).nonnegative({ error: SUM })], {
      error: SUM,
    })
    .optional(),
  unit: unit.prefault('none'),
  metric: text('the name of a metric').optional(),
  description: text('a description').optional(),
  perCpu: yesOrNo(false),
  bpftool: yesOrNo(false),
  since,
  timeout: duration.prefault('5s'),
  attributes,
}).check(({ value, issues }) => {
  if (value.bpftool && value.layout === undefined) {
    const message = 'must be set with bpftool, because finding a layout takes koffi';
    issues.push({ code: 'custom', message, path: ['layout'], input: value.layout });
  }
});

const ebpfExporter = mapping({
  type: z.literal('ebpf-exporter'),
  name,
  config: text('the path of a configuration of ebpf_exporter'),
  pins: text('the path of a folder').optional(),
  prefix: z.string({ error: 'must be a text' }).default('ebpf_exporter_'),
  perCpu: yesOrNo(false),
  bpftool: yesOrNo(false),
  since,
  timeout: duration.prefault('5s'),
  attributes,
});

const ebpfProgram = mapping({
  type: z.literal('ebpf-program'),
  name,
  program: oneOf('runqueue', 'blockio', 'tcprtt'),
  by: text('what the program counts by').optional(),
  maxKeys: wholeNumber(1, 10_000).default(1024),
  perCpu: yesOrNo(false),
  timeout: duration.prefault('5s'),
  attributes,
})
  .transform((source) => ({ ...source, by: source.by ?? KERNEL_PROGRAMS[source.program][0]! }))
  .check(({ value: { program, by, perCpu }, issues }) => {
    const known = KERNEL_PROGRAMS[program];
    if (!known.includes(by)) {
      const message = `must be one of ${known.join(', ')} for ${program}`;
      issues.push({ code: 'custom', message, path: ['by'], input: by });
    } else if (perCpu && by !== 'all') {
      const message = `must be false, because counts by ${by} are those of all CPUs together`;
      issues.push({ code: 'custom', message, path: ['perCpu'], input: perCpu });
    }
  });

const bpftrace = mapping({
  type: z.literal('bpftrace'),
  name,
  file: text('the path of a script').optional(),
  script: text('a script').optional(),
  program: text('the path of bpftrace').default('bpftrace'),
  unit: unit.prefault('none'),
  maps: z
    .record(
      z.string().regex(/^@/),
      mapping({
        metric: text('the name of a metric').optional(),
        description: text('a description').optional(),
        unit: unit.optional(),
        attributes,
      }),
      {
        error: ({ code }) =>
          code === 'invalid_key'
            ? 'must be a map as the script names it, such as "@us"'
            : 'must be a mapping of maps to metrics',
      },
    )
    .prefault({}),
  keys: z
    .record(z.string(), z.array(text('a name')), { error: 'must be a mapping of maps to lists of names' })
    .default({}),
  printEvery: duration
    .prefault('1s')
    .refine((ms) => ms >= 250, { error: 'must be a duration of at least 250ms' }),
  timeout: duration.prefault('15s'),
  attributes,
}).check(({ value, issues }) => {
  if ((value.file === undefined) === (value.script === undefined)) {
    issues.push({ code: 'custom', message: 'must have either file or script', input: value });
  }
});

const otlp = mapping({
  type: z.literal('otlp'),
  name,
  listen: address.prefault('127.0.0.1:4318'),
  allowRemote: yesOrNo(false),
  ...server,
}).check(({ value: { listen, allowRemote, token }, issues }) => {
  if (!allowRemote && token === undefined && !isLoopback(listen.host)) {
    const message =
      'must be an address of this machine alone, unless allowRemote is true or there is a token: everybody who reaches the port can write metrics';
    issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
  }
});

const SOURCES = [intervalLog, stdin, pipe, ceph, ebpfMap, ebpfExporter, ebpfProgram, bpftrace, otlp] as const;

/** An entry of `sources`. Its name may be missing. */
export const source: z.ZodType<Unnamed<SourceConfig>, unknown> = z.discriminatedUnion('type', SOURCES, {
  error:
    'must be a known type of source: interval-log, stdin, pipe, ceph, ebpf-map, ebpf-exporter, ebpf-program, bpftrace or otlp',
});

/** An entry of any kind whose name may be missing. */
export type Unnamed<Config> = Config extends { readonly name: string }
  ? Omit<Config, 'name'> & { readonly name?: string | undefined }
  : never;
