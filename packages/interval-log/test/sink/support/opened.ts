import { join } from 'node:path';
import type { HdrscopeError } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { IntervalLogOptions } from '../../../src/index.ts';
import { openSink } from '../../../src/sink/open.ts';
import type { IntervalLogSink } from '../../../src/sink/sink.ts';
import { newDirectory } from '../../support/sandbox.ts';
import { type Surroundings, surroundings, until } from './surroundings.ts';

export const START_MS = 1_700_000_000_000;

/** A sink in a fake environment, and a series to record in. */
export interface Opened extends Surroundings {
  readonly directory: string;
  readonly path: string;
  readonly registry: Registry;
  readonly sink: IntervalLogSink;
  readonly events: string[];
  record(seconds?: number): void;
}

export async function opened(
  options: Partial<IntervalLogOptions> = {},
  directory = newDirectory(),
): Promise<Opened> {
  const around = surroundings(START_MS);
  const path = join(directory, 'app.hlog');
  const registry = createRegistry({ clock: around.time });
  const events: string[] = [];
  const listeners = {
    onError: (error: HdrscopeError) => void events.push(`${error.code}: ${error.message}`),
    onRecovery: () => void events.push('recovered'),
  };
  const sink = await openSink(registry, { path, ...listeners, ...options }, around.runtime);
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
  const record = (seconds = 0.001): void => void series.record(seconds);
  return { ...around, directory, path, registry, sink, events, record };
}

/** Advances time by an interval and waits for its cycle. */
export async function tick({ time, sink }: Opened, ms = 1000): Promise<void> {
  const { writtenUntilMs, failures } = sink.health;
  time.advance(ms);
  await until(() => sink.health.writtenUntilMs !== writtenUntilMs || sink.health.failures > failures);
}
