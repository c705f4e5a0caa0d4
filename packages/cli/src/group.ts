import { type CommandModule, ExitCode, type Group, type Io, UsageError } from './command.ts';

/** The module of a group: it runs the commands in the group. */
export function groupModule(group: Group): CommandModule {
  return { run: (args, io) => runGroup(group, args, io), group };
}

/** Runs the command that the first argument names, and loads no other module. */
export async function runGroup(group: Group, args: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    await io.stderr.write(groupHelp(group));
    return ExitCode.usage;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    await io.stdout.write(groupHelp(group));
    return ExitCode.done;
  }
  if (first === 'help') return runGroup(group, [...rest, '--help'], io);
  const command = group.commands.find(({ name }) => name === first);
  if (command === undefined) throw new UsageError(unknownCommand(group, first));
  const { run } = await command.load();
  return run(rest, io);
}

function unknownCommand({ path, commands }: Group, name: string): string {
  const what = name.startsWith('-') ? 'option' : 'command';
  const similar = commands.find((command) => command.name.startsWith(name.slice(0, 3)));
  const hint = similar === undefined ? `${path} --help lists the commands` : `did you mean ${similar.name}?`;
  return `${path} has no ${what} '${name}': ${hint}`;
}

function groupHelp({ path, description, commands, examples, notes }: Group): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `${description}

usage: ${path} COMMAND [options]

commands:
${lines.join('')}
  ${path} COMMAND --help describes one of them.
${notes ?? ''}
examples:
${examples.map((example) => `  ${example}\n`).join('')}`;
}
