import { BufferedOutput } from './buffered.ts';
import type { OutputFile, ProcessorIo } from './io.ts';
import type { ProcessorSettings } from './options.ts';
import { formatRange, windowTitle } from './rows.ts';

/** The outputs of a run. The optional ones exist only if the options ask for them. */
export interface Outputs {
  readonly distribution: BufferedOutput;
  readonly intervals?: BufferedOutput;
  readonly window?: BufferedOutput;
  /** Writes all buffered text and closes the files. */
  close(): Promise<void>;
}

/** Makes the output files, each with a first line that states its range of the log. */
export async function openOutputs(
  settings: ProcessorSettings,
  { stdout, files }: ProcessorIo,
): Promise<Outputs> {
  const { outputPath: path, movingWindow, startSec, endSec } = settings;
  if (path === undefined) {
    const distribution = new BufferedOutput(stdout);
    return { distribution, close: () => distribution.flush() };
  }
  const opened: OutputFile[] = [];
  const outputs: BufferedOutput[] = [];
  const open = async (name: string, title: string): Promise<BufferedOutput> => {
    const file = await files.create(name);
    opened.push(file);
    const output = new BufferedOutput(file);
    outputs.push(output);
    await output.add(formatRange(title, startSec, endSec));
    return output;
  };
  const close = async (): Promise<void> => {
    try {
      for (const output of outputs) await output.flush();
    } finally {
      await Promise.all(opened.map((file) => file.close()));
    }
  };
  try {
    const intervals = await open(path, 'Interval percentile log');
    const distribution = await open(`${path}.hgrm`, 'Overall percentile distribution');
    if (movingWindow === undefined) return { intervals, distribution, close };
    const window = await open(`${path}.mwp`, windowTitle(movingWindow.percentile));
    return { intervals, distribution, window, close };
  } catch (error) {
    await close();
    throw error;
  }
}
