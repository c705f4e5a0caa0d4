/** Options that have another name now, by command. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'hdrscope record': { '--output-file': '-o, --output' },
  'hdrscope log convert': { '--to': '--format' },
  'hdrscope diff': { '--percentile': '--percentiles' },
};

/** Commands that are part of another one now. */
const COMMANDS: Readonly<Record<string, string>> = { 'hdrscope log compare': 'hdrscope diff' };

/** The error about an option that has another name now, made of the parser's error; `undefined` for other errors. */
export function renamedOption(command: string, message: string): string | undefined {
  const [, option = ''] = /unknown option '(--[\w-]+)/.exec(message) ?? [];
  const name = OPTIONS[command]?.[option];
  return name === undefined ? undefined : `${option} is ${name} now`;
}

/** The error about a command that has another name now; `undefined` for other commands. */
export function renamedCommand(command: string): string | undefined {
  const name = COMMANDS[command];
  return name === undefined ? undefined : `${command} is ${name} now`;
}
