import { ExitCode, type Io, UsageError } from './command.ts';
import type { CommandModule, Group } from './command-module.ts';

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
  return runModule(await command.load(), rest, io);
}

/** Runs a command with the words after its name. With `--help`, it prints the help and does nothing else. */
async function runModule(module: CommandModule, args: readonly string[], io: Io): Promise<number> {
  if ('group' in module) return runGroup(module.group, args, io);
  if (!('parser' in module)) return module.run(args, io);
  // Help of groups and raw commands need no parser, so they do not load it.
  const { readArguments } = await import('./arguments.ts');
  const given = await readArguments(module.parser(), args, io);
  return given === undefined ? ExitCode.done : module.run(given, io);
}

function unknownCommand({ path, commands }: Group, name: string): string {
  const what = name.startsWith('-') ? 'option' : 'command';
  const similar = commands.find((command) => command.name.startsWith(name.slice(0, 3)));
  const hint = similar === undefined ? `${path} --help lists the commands` : `did you mean ${similar.name}?`;
  return `${path} has no ${what} '${name}': ${hint}`;
}

function groupHelp({ path, description, commands, examples, notes }: Group): string {
  // Bounded: these are the commands of a group.
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
