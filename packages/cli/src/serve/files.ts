import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { DoubleHistogram, HdrscopeError, type Histogram } from '@hdrscope/core';
import type { View } from '@hdrscope/dashboard';
import { followLog, readHistograms } from '@hdrscope/interval-log';
import { createLogPlots, type Plot, plotsOfLog } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import type { Io } from '../command.ts';
import { Refusal } from '../command.ts';
import { sizeOf } from '../inputs/input-file.ts';
import { followNoteText } from '../log/follow-note.ts';
import { perMs } from '../numbers/number-unit.ts';
import { type ReadingProgress, startReading } from '../progress.ts';

/** A file with a tab on the page. */
export interface ShownFile {
  view(): View;
}

/** The plots of a file that a person has dropped on the page. */
export function openDropped(unit: CountedUnit, bytes: AsyncIterable<Uint8Array>): Promise<readonly Plot[]> {
  return plotsOfLog(readHistograms(bytes, { valueScale: perMs(unit) }), { unit });
}

/**
 * Reads a whole file.
 *
 * @throws Refusal
 */
export async function readFile(path: string, unit: CountedUnit, io: Io): Promise<ShownFile> {
  const reading = startReading(io, await sizeOf(path));
  const name = basename(path);
  try {
    const plots = await openDropped(unit, countedBytes(path, reading, io));
    return { view: () => ({ name, plots }) };
  } catch (error) {
    if (error instanceof HdrscopeError) throw new Refusal(`${path}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    reading.finish();
  }
}

async function* countedBytes(
  path: string,
  { onBytes }: ReadingProgress,
  { signal }: Io,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Uint8Array>) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Reads a log as it grows, until the command ends. */
export function followFile(path: string, unit: CountedUnit, io: Io): ShownFile {
  const name = basename(path);
  let log = createLogPlots({ unit });
  /** The plots on the page. They are computed again when the log has grown. */
  let plots: readonly Plot[] | undefined;
  const follow = async (): Promise<void> => {
    for await (const entry of followLog(path, { signal: io.signal })) {
      plots = undefined;
      const note = followNoteText(entry, path);
      if (note !== undefined) await io.stderr.write(`hdrscope: ${note}\n`);
      // Another file has the name now, or the file was truncated.
      if (entry.kind === 'truncated' || entry.kind === 'replaced') log = createLogPlots({ unit });
      if (entry.kind !== 'interval') continue;
      const { tag, startSec, lengthSec } = entry;
      log.add({ tag, startSec, lengthSec, histogram: integersOf(entry) });
    }
  };
  follow().catch((error: Error) => io.stderr.write(`hdrscope: ${path}: ${error.message}\n`).catch(() => {}));
  return {
    view() {
      plots ??= log.plots();
      return { name, plots };
    },
  };
}

function integersOf(interval: { histogram(): Histogram | DoubleHistogram }): Histogram | undefined {
  try {
    const histogram = interval.histogram();
    return histogram instanceof DoubleHistogram ? undefined : histogram;
  } catch {
    return undefined;
  }
}
