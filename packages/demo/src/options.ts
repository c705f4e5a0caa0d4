import { parseArgs } from 'node:util';

/** What the command line decides. */
export interface DemoOptions {
  /** How long the load runs; 0 is until a signal. */
  readonly seconds: number;
  /** Where the service listens; 0 is any free port. */
  readonly port: number;
  /** Where `/metrics` is served; 0 is any free port. */
  readonly metricsPort: number;
  /** Where the live page is served; 0 is any free port, `undefined` is nowhere. */
  readonly pagePort: number | undefined;
  readonly connections: number;
  /** A directory for each route's distribution as an `.hgrm` file. */
  readonly saveTo: string | undefined;
}

/** A command line that cannot be followed. The message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `An HTTP service under load, its latency counted in HDR histograms behind plain OpenTelemetry.

usage: npm start -- [options]

  --seconds N       how long the load runs, up to a day; 0: until Ctrl-C     [300]
  --port N          where the service listens; 0: any free port              [8080]
  --metrics-port N  where Prometheus finds /metrics; 0: any free port        [9464]
  --page-port N     where the live page is served; 0: any free port          [9465]
  --no-page         serves no page
  --connections N   how many requests the load keeps going at once, to 500   [8]
  --save DIR        writes each route's distribution to DIR, as .hgrm files in ms
  -h, --help        print this

A port that is taken is replaced by a free one. Everything listens on 127.0.0.1 only.
Ctrl-C (or SIGTERM) ends the run with its final report; a second Ctrl-C ends it at once.
`;

/**
 * Reads the command line.
 *
 * @returns `undefined` when help is asked for.
 * @throws UsageError when an option is unknown or its value is not what it must be.
 */
export function parseOptions(args: readonly string[]): DemoOptions | undefined {
  const values = parseStrictly(args);
  if (values.help) return undefined;
  return {
    seconds: integer('--seconds', values.seconds, 0, 86_400),
    port: integer('--port', values.port, 0, 65_535),
    metricsPort: integer('--metrics-port', values['metrics-port'], 0, 65_535),
    pagePort: values['no-page'] ? undefined : integer('--page-port', values['page-port'], 0, 65_535),
    connections: integer('--connections', values.connections, 1, 500),
    saveTo: values.save,
  };
}

interface RawOptions {
  seconds: string;
  port: string;
  'metrics-port': string;
  'page-port': string;
  'no-page': boolean;
  connections: string;
  save?: string | undefined;
  help: boolean;
}

function parseStrictly(args: readonly string[]): RawOptions {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        seconds: { type: 'string', default: '300' },
        port: { type: 'string', default: '8080' },
        'metrics-port': { type: 'string', default: '9464' },
        'page-port': { type: 'string', default: '9465' },
        'no-page': { type: 'boolean', default: false },
        connections: { type: 'string', default: '8' },
        save: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw code.startsWith('ERR_PARSE_ARGS_') ? new UsageError(explain(message)) : error;
  }
}

/** Node's messages are right, but they advise on other matters than those that people have here. */
function explain(message: string): string {
  const [, stray] = /^Unexpected argument ('.*?')/.exec(message) ?? [];
  // npm keeps options without `--` to itself, and passes on only their values.
  if (stray !== undefined)
    return `unexpected argument ${stray} (npm needs -- before options, as in npm start -- --seconds 8)`;
  const [, option] = /^Option '(--[\w-]+).*' argument (?:is ambiguous|missing)/.exec(message) ?? [];
  if (option !== undefined) return `${option} needs a value`;
  return message.split('. ', 1)[0]!;
}

function integer(name: string, given: string, from: number, to: number): number {
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`${name} must be an integer from ${from} to ${to}, got '${given}'`);
}
