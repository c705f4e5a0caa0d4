import { ExitCode, type Io, Termination, UsageError } from './command.ts';
import { cleanIo } from './screen/clean-output.ts';
import { errorText } from './system-error.ts';

/** Runs a command to its end and returns the exit code. Turns every error into a message on standard error. */
export async function endWell(rawIo: Io, run: (io: Io) => Promise<number>): Promise<number> {
  const io = cleanIo(rawIo);
  try {
    const exitCode = await run(io);
    if (exitCode === ExitCode.serviceEnded) return ExitCode.done;
    return endedBySignal(io) ?? exitCode;
  } catch (error) {
    // The error of an aborted command is a consequence of the abort.
    if (io.signal.aborted) return await ended(io);
    await printError(error, io);
    return error instanceof UsageError ? ExitCode.usage : ExitCode.refused;
  }
}

/** Prints the message of an error that ends a command. */
export async function printError(error: unknown, io: Io): Promise<void> {
  await io.stderr.write(`hdrscope: ${errorText(error, io)}\n`);
}

function endedBySignal({ signal }: Io): number | undefined {
  const { reason } = signal;
  return signal.aborted && reason instanceof Termination && reason.exitCode > 128
    ? reason.exitCode
    : undefined;
}

async function ended(io: Io): Promise<number> {
  const { reason } = io.signal;
  if (!(reason instanceof Termination)) return ExitCode.refused;
  // The output failed, for example on a full disk. The person does not know that yet.
  if (reason.exitCode === ExitCode.refused) {
    await io.stderr.write(`hdrscope: the output cannot be written: ${reason.message}\n`).catch(() => {});
  }
  return reason.exitCode;
}
