/**
 * The worker of the page: runs commands on the files that the page hands over, one at a time.
 */
import type { Io, Output } from 'hdrscope/internal';
import { runFileCommand } from 'hdrscope/internal';
import { fillDisk, takeWritten } from './disk.ts';
import { tabulateFigures } from './figures-table.ts';
import type { Job, JobProgress, JobResult } from './job.ts';
import { printFigures } from './print-figures.ts';

const PROGRESS_MS = 100;

self.addEventListener('message', ({ data }: MessageEvent<Job>) => {
  // A rejection that nobody handles would not reach the page, which would wait for ever.
  run(data).catch((error: unknown) => self.reportError(error));
});

async function run({ id, files, command, words, output, table }: Job): Promise<void> {
  let readBytes = 0;
  let nextMs = 0;
  fillDisk(files, (bytes) => {
    readBytes += bytes;
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + PROGRESS_MS;
    self.postMessage({ id, readBytes } satisfies JobProgress);
  });
  const [stdout, stderr] = [collect(), collect()];
  const io: Io = {
    ...{ stdout, stderr },
    stdin: new ReadableStream<Uint8Array>(),
    environment: {},
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
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
