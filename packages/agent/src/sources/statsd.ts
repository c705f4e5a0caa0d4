import { resolve } from 'node:path';
import type { StatsdOther } from '@hdrscope/inputs/statsd';
import { describeListenError, formatCount, formatSize } from '@hdrscope/kit';
import { inUrl, isLoopback } from '@hdrscope/kit/server';
import * as z from '#zod';
import { address, oneOf, size, text, unit, wholeNumber, yesOrNo } from '../config/values.ts';
import type { EntryPackets } from '../health.ts';
import { MemoryKind } from '../memory.ts';
import { defineSource, entry, noKernelMaps, noteOnce, type SourcePart } from '../part.ts';
import { createStatsdIntake } from '../statsd/intake.ts';
import { type Receiver, receiveUdp, receiveUnix } from '../statsd/receiver.ts';
import type { TakePacket } from '../statsd/sockets.ts';
import { attributes, dropAttributes, expireAfter } from './shared.ts';

const schema = entry('statsd', 'Timers, histograms and distributions of StatsD and DogStatsD.', {
  address: address
    .optional()
    .describe('The address of the UDP socket. Default: 127.0.0.1:8125, or none with path.'),
  path: text('the path of a socket')
    .optional()
    .describe('A Unix datagram socket instead, which takes the package koffi.'),
  allowRemote: yesOrNo(false).describe(
    'Whether other machines may send: everybody who reaches the port can write then.',
  ),
  receiveBuffer: size
    .prefault('4MiB')
    .describe('The bytes that wait in the kernel while the source is busy. net.core.rmem_max cuts it.'),
  units: z
    .record(z.string(), unit, { error: 'must be a mapping of names to units' })
    .default({})
    .describe(
      'Units by the names of metrics, such as "db.*". Default: ms for timers, and none for histograms and distributions.',
    ),
  significantDigits: wholeNumber(0, 5).default(3).describe('How many decimal digits of a value are kept.'),
  samples: oneOf('scaled', 'received')
    .default('scaled')
    .describe('Whether a value with a sample rate counts for those that it stands for, or as one.'),
  containers: yesOrNo(false).describe(
    'Whether series have the attribute container.id of clients that state it.',
  ),
  maxSeries: wholeNumber(1)
    .default(10_000)
    .describe('The largest number of series of all metrics. Overflow series take the rest.'),
  expireAfter,
  attributes,
  dropAttributes,
})
  .check(({ value, issues }) => {
    const { address, path, allowRemote } = value;
    if (address !== undefined && path !== undefined) {
      const message = 'must not be set with address: a source has one socket';
      issues.push({ code: 'custom', message, path: ['path'], input: path });
    }
    if (address !== undefined && !allowRemote && !isLoopback(address.host)) {
      const message =
        'must be an address of this machine alone, unless allowRemote is true: everybody who reaches the port can write metrics';
      issues.push({ code: 'custom', message, path: ['address'], input: `${address.host}:${address.port}` });
    }
  })
  .transform(({ address, ...config }) => ({
    ...config,
    address: address ?? { host: '127.0.0.1', port: 8125 },
  }));

type StatsdConfig = z.output<typeof schema>;

async function openReceiver(
  { address, path, receiveBuffer }: StatsdConfig,
  take: TakePacket,
  failed: (error: unknown) => void,
): Promise<Receiver> {
  if (path !== undefined) return receiveUnix(path, take);
  try {
    return await receiveUdp(address, receiveBuffer, take, failed);
  } catch (error) {
    throw new Error(describeListenError(error, 'address'), { cause: error });
  }
}

function noteBuffer(bytes: number, asked: number, note: (text: string) => void): void {
  // Linux reserves as much again for itself.
  const usable = process.platform === 'linux' ? bytes / 2 : bytes;
  if (usable >= asked) return;
  note(
    `the kernel gives the socket ${formatSize(usable)}, and receiveBuffer asks for ${formatSize(asked)}: raise net.core.rmem_max by sysctl`,
  );
}

const NOTHING: EntryPackets = {
  ...{ received: 0, dropped: undefined, malformed: 0, refusedValues: 0, estimatedValues: 0 },
  leftOut: { counter: 0, gauge: 0, set: 0, event: 0, serviceCheck: 0 },
};

/** The packets of all runs of a source. What the kernel has dropped in an earlier run stays. */
function addPackets(a: EntryPackets, b: EntryPackets): EntryPackets {
  const leftOut = Object.entries(a.leftOut).map(([what, count]) => [
    what,
    count + b.leftOut[what as StatsdOther],
  ]);
  return {
    received: a.received + b.received,
    dropped: a.dropped === undefined ? b.dropped : a.dropped + (b.dropped ?? 0),
    malformed: a.malformed + b.malformed,
    refusedValues: a.refusedValues + b.refusedValues,
    estimatedValues: a.estimatedValues + b.estimatedValues,
    leftOut: Object.fromEntries(leftOut),
  };
}

/** A sentence on what did not count; `undefined` when all did. What is left out is no problem. */
function describeLosses(
  before: EntryPackets,
  now: EntryPackets,
  problem: string | undefined,
): string | undefined {
  const dropped = (now.dropped ?? 0) - (before.dropped ?? 0);
  const malformed = now.malformed - before.malformed;
  const refused = now.refusedValues - before.refusedValues;
  const parts = [
    ...(dropped > 0
      ? [
          `the kernel has dropped ${formatNumber(dropped, 'packet')}: the source was too slow, or its receiveBuffer is too small`,
        ]
      : []),
    ...(malformed > 0 ? [`${formatNumber(malformed, 'line')} did not count`] : []),
    ...(refused > 0 ? [`${formatNumber(refused, 'value')} had no series`] : []),
  ];
  if (parts.length === 0) return undefined;
  return `${parts.join(', and ')}${problem === undefined ? '' : `; first: ${problem}`}`;
}

function formatNumber(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** What each source has received, by its name. */
const RECEIVED: MemoryKind<EntryPackets> = new MemoryKind();

/** Values that clients of StatsD send. The next gather reports lines that are not well formed, and packets that the kernel has dropped. */
export const statsd: SourcePart = defineSource({
  schema,
  example: `
# Timers, histograms and distributions of StatsD and DogStatsD.
- type: statsd
  address: 127.0.0.1:8125
  units: { 'http.*': ms }
`,
  // Two sockets cannot have one address.
  origin: () => undefined,
  async start(config, context) {
    const { name, path, expireAfter, receiveBuffer } = config;
    const { registry, added, succeeded, failed } = context;
    const noted = (text: string): void => noteOnce(text, context);
    const intake = createStatsdIntake(
      registry,
      { ...config, expireAfterMs: expireAfter },
      { added, note: noted },
    );
    const take: TakePacket = (bytes, from, end, isCut) =>
      isCut ? intake.refusePacket() : intake.take(bytes, from, end);
    const receiver = await openReceiver(config, take, failed);
    if (receiver.bufferBytes !== undefined) noteBuffer(receiver.bufferBytes, receiveBuffer, noted);

    const states = context.memory.of(RECEIVED);
    const before = states.get(name) ?? NOTHING;
    let last = before;
    /** Reports what has come. @returns A sentence on what did not count since the call before; `undefined` when all did. */
    const report = async (): Promise<string | undefined> => {
      const dropped = await receiver.readDrops();
      const { packets, problem } = intake.report();
      const now = addPackets(before, { ...packets, dropped });
      const lost = describeLosses(last, now, problem);
      last = now;
      states.set(name, now);
      context.received(now);
      return lost;
    };
    const remove = registry.add({
      name,
      async collect() {
        intake.recount();
        const lost = await report();
        if (lost === undefined) {
          succeeded();
          return;
        }
        const error = new Error(`since the previous gather, ${lost}`);
        failed(error);
        throw error;
      },
    });
    return {
      kernelMaps: noKernelMaps,
      note:
        path === undefined
          ? `udp://${inUrl(config.address.host)}:${receiver.port}`
          : `unix://${resolve(path)}`,
      async stop() {
        remove();
        await receiver.drain();
        await report();
        await receiver.close();
      },
    };
  },
});
