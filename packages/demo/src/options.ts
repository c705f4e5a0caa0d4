import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface DemoOptions {
  /** How long the load runs; 0 means until a signal. */
  readonly seconds: number;
  /** The port of the service; 0 means any free port. */
  readonly port: number;
  /** The port of `/metrics`; 0 means any free port. */
  readonly metricsPort: number;
  /** The port of the live page; 0 means any free port, `undefined` means no page. */
  readonly pagePort: number | undefined;
  readonly connections: number;
  /** The directory for an `.hgrm` file of each route and a log of all. `undefined` means no files. */
  readonly saveTo: string | undefined;
  /** The folder of a history with an interval every second. `undefined` means none. */
  readonly historyTo: string | undefined;
}

/** Thrown for a wrong command line. The message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `An HTTP service under load. HDR histograms behind plain OpenTelemetry count its latency.

usage: npm start -- [options]

  --seconds N       how long the load runs, at most a day; 0: until Ctrl-C   [300]
  --port N          port of the service; 0: any free port                    [8080]
  --metrics-port N  port of /metrics for Prometheus; 0: any free port        [9464]
  --page-port N     port of the live page; 0: any free port                  [9465]
  --no-page         do not serve the page
  --connections N   concurrent requests of the load, at most 500             [8]
  --save DIR        write each route's distribution to DIR, as .hgrm files in ms and as routes.hlog
  --history DIR     keep a history of all series in DIR, with an interval every second
  -h, --help        print this help

If a port is taken, the demo uses a free one. Everything listens on 127.0.0.1 only.
Ctrl-C (or SIGTERM) ends the run with a final report; a second Ctrl-C ends it at once.
`;

/**
 * Reads the command line.
 *
 * @returns `undefined` when the arguments ask for help.
 * @throws UsageError when an option is unknown or its value is out of range.
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
    historyTo: values.history,
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
  history?: string | undefined;
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
        history: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw code.startsWith('ERR_PARSE_ARGS_') ? new UsageError(explain(message)) : error;
  }
}

/** Replaces Node's messages where their advice does not fit: npm causes most mistakes here. */
function explain(message: string): string {
  const [, stray] = /^Unexpected argument ('.*?')/.exec(message) ?? [];
  // Without `--`, npm takes the options itself and passes on only their values.
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
