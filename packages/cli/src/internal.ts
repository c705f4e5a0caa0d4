// Entry `hdrscope/internal`: for the playground only. Names here may change in any release.
import { readArguments } from './arguments.ts';
import { ExitCode, type Io } from './command.ts';
import { command as check } from './commands/check/index.ts';
import { command as convert } from './commands/convert/index.ts';
import { command as diff } from './commands/diff/index.ts';
import { command as explain } from './commands/explain/index.ts';
import { command as inspect } from './commands/inspect.ts';
import { command as logSummary } from './commands/log/summary.ts';
import { command as plot } from './commands/plot/index.ts';
import { command as query } from './commands/query/index.ts';
import { command as record } from './commands/record/index.ts';

import type { DefinedCommand } from './define-command.ts';
import { endWell } from './ending.ts';

export type { Io, Output } from './command.ts';
export { endWell } from './ending.ts';
export { columnsFor, figureCells } from './figures.ts';
export { findForm, WRITTEN_FORMS } from './inputs/forms.ts';

/** The commands that read files alone, and run in a browser as well. */
const FILE_COMMANDS = {
  check,
  convert,
  diff,
  explain,
  inspect,
  'log summary': logSummary,
  plot,
  query,
  record,
} as const satisfies Readonly<Record<string, DefinedCommand>>;

export type FileCommand = keyof typeof FILE_COMMANDS;

/** Runs a command on files, as `hdrscope` does, and returns its exit code. */
export function runFileCommand(name: FileCommand, args: readonly string[], io: Io): Promise<number> {
  return endWell(io, async (io) => {
    const command = FILE_COMMANDS[name];
    const given = await readArguments(command.parser(), args, io);
    return given === undefined ? ExitCode.done : command.run(given, io);
  });
}
