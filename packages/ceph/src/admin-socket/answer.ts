import { CEPH_FORMATS, type CephFormat, formatDocument, PERF_ROOT } from '../dump/format.ts';
import type { AdminCommand, CommandArguments, CommandResult, Commands } from './commands.ts';
import { fits } from './commands.ts';
import type { RawRequest } from './protocol.ts';
import { failureBody } from './protocol.ts';

type Request = Readonly<Record<string, unknown>>;

/** The body of the reply to a request. It never rejects: a failure is a reply too. */
export async function answer(commands: Commands, raw: RawRequest): Promise<string | Uint8Array> {
  const request = 'json' in raw ? parseRequest(raw.json) : raw;
  if (request === undefined) return failureBody('invalid json');

  const { prefix = '', format = 'json-pretty' } = request as Request;
  if (typeof prefix !== 'string' || typeof format !== 'string') {
    return failureBody('invalid json, missing format and/or prefix');
  }
  const command = commands.get(prefix);
  if (command === undefined) return failureBody(`unknown command prefix ${prefix}`);

  const args = argumentsOf(command, request);
  if (args === undefined) return failureBody('invalid command json');
  const known = CEPH_FORMATS.find((one) => one === format) ?? 'json-pretty';
  try {
    return toBody(await command.run(args, known), known, prefix);
  } catch (error) {
    return failureBody(readMessage(error));
  }
}

function parseRequest(json: string): Request | undefined {
  try {
    const request: unknown = JSON.parse(json);
    return typeof request === 'object' && request !== null && !Array.isArray(request)
      ? (request as Request)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments that the command knows. Clients send others too, and daemons ignore them. */
function argumentsOf({ args = [] }: AdminCommand, request: Request): CommandArguments | undefined {
  const found: [name: string, value: CommandArguments[string]][] = [];
  for (const arg of args) {
    const value = Object.hasOwn(request, arg.name) ? request[arg.name] : undefined;
    if (!fits(arg, value)) return undefined;
    if (value !== undefined) found.push([arg.name, value]);
  }
  return Object.fromEntries(found);
}

function toBody(result: CommandResult, format: CephFormat, prefix: string): string | Uint8Array {
  if (result === undefined) return '';
  if (typeof result === 'string' || result instanceof Uint8Array) return result;
  return formatDocument(result, format, rootOf(prefix));
}

/** The names of the root elements that differ from the command, as daemons have them. */
const ROOTS: ReadonlyMap<string, string> = new Map([
  ['get_command_descriptions', 'command_descriptions'],
  ['git_version', 'version'],
  ...['1', '2', 'perfcounters_dump', 'perfcounters_schema'].map((prefix) => [prefix, PERF_ROOT] as const),
  ...['perf', 'counter', 'perf histogram'].flatMap((group) => [
    [`${group} dump`, PERF_ROOT] as const,
    [`${group} schema`, PERF_ROOT] as const,
  ]),
]);

/** The name of the root element in XML: that of the command. Its spaces become underscores. */
function rootOf(prefix: string): string {
  return ROOTS.get(prefix) ?? prefix;
}

function readMessage(error: unknown): string {
  try {
    return String((error as Partial<Error> | undefined)?.message || error);
  } catch {
    return 'unknown';
  }
}
