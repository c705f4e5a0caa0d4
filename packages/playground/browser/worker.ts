/**
 * The worker of the page: runs commands on the files that the page hands over, one at a time.
 */
import { summarizePart } from '@hdrscope/interval-log/internal';
import type { Io, Output } from 'hdrscope/internal';
import { runFileCommand } from 'hdrscope/internal';
import { fillDisk, readBlob, takeWritten } from './disk.ts';
import { LogDivider } from './divide-log.ts';
import { tabulateFigures } from './figures-table.ts';
import type { Job, JobProgress, JobResult, PartJob, PartProgress, PartResult, WorkerScript } from './job.ts';
import { printFigures } from './print-figures.ts';

const PROGRESS_MS = 100;

/** Not every browser lets a worker start others. */
const cores = typeof Worker === 'undefined' ? 1 : navigator.hardwareConcurrency;
const divider = new LogDivider(cores, () => new Worker(address));
let address: string = self.location.href;

self.addEventListener('message', ({ data }: MessageEvent<Job | PartJob | WorkerScript>) => {
  if ('script' in data) {
    address = URL.createObjectURL(data.script);
    return;
  }
  // A rejection that nobody handles would not reach the page, which would wait for ever.
  ('question' in data ? runPart(data) : run(data)).catch((error: unknown) => self.reportError(error));
});

/** Calls a function with the number of bytes that were read since it was called before, at most ten times a second. */
function countBytes(report: (newBytes: number) => void): (bytes: number) => void {
  let [newBytes, nextMs] = [0, 0];
  return (bytes) => {
    newBytes += bytes;
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + PROGRESS_MS;
    report(newBytes);
    newBytes = 0;
  };
}

/** Summarises a part of a log for another worker. */
async function runPart({ part, blob, question }: PartJob): Promise<void> {
  fillDisk(
    new Map(),
    countBytes((newBytes) => self.postMessage({ part, newBytes } satisfies PartProgress)),
  );
  const summary = await summarizePart(readBlob(blob), question, () => {});
  self.postMessage({ part, summary } satisfies PartResult);
}

async function run({ id, files, command, words, output, table }: Job): Promise<void> {
  let readBytes = 0;
  fillDisk(
    files,
    countBytes((newBytes) => {
      readBytes += newBytes;
      self.postMessage({ id, readBytes } satisfies JobProgress);
    }),
  );
  const [stdout, stderr] = [collect(), collect()];
  const io: Io = {
    ...{ stdout, stderr },
    stdin: new ReadableStream<Uint8Array>(),
    environment: {},
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
    divideLog: divider.divide,
  };
  const given = output === undefined ? words : [...words, '-o', output];
  const exitCode =
    command === 'figures' ? await printFigures(given[0]!, io) : await runFileCommand(command, given, io);
  self.postMessage({
    ...{ id, exitCode, stdout: stdout.text() },
    notes: listNotes(stderr.text()),
    written: output === undefined ? undefined : takeWritten(output),
    table:
      table === undefined || stdout.text() === ''
        ? undefined
        : tabulateFigures(JSON.parse(stdout.text()), table === 'bounds'),
  } satisfies JobResult);
}

function collect(): Output & { text(): string } {
  const parts: string[] = [];
  return {
    ...{ isTerminal: false, columns: undefined },
    write: async (text) => void parts.push(text),
    text: () => parts.join(''),
  };
}

const NAME = 'hdrscope: ';

/** A message may have several lines. */
function listNotes(text: string): string[] {
  return text
    .split(new RegExp(`^${NAME}`, 'm'))
    .map((note) => note.trim())
    .filter((note) => note !== '');
}
