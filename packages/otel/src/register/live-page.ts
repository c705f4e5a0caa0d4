import { describeListenError } from '@hdrscope/kit';
import type { Registry } from '@hdrscope/registry';
import { type EnvironmentVariables, variable } from '../environment.ts';
import type { Application } from './application.ts';
import { notice } from './notice.ts';
import { isAbsent, reasonsOf } from './reasons.ts';

/** The live page of `@hdrscope/dashboard`, in the process that leads. */
export interface LivePage {
  /** Serves what a registry counts until the page is closed. It does not keep the process alive. Never throws. */
  serve(registry: Registry): void;
  close(): void;
}

/** What `@hdrscope/dashboard` exports. It is optional, so the application has it. */
interface Dashboard {
  readonly serveDashboard: (
    shown: Registry,
    options: {
      readonly host?: string;
      readonly port: number;
      readonly token?: string;
      readonly title?: string;
      readonly historyFolder?: string;
    },
  ) => Promise<{ close(): Promise<void> }>;
}

const VARIABLE = 'HDRSCOPE_LIVE_PAGE';
const TOKEN_VARIABLE = 'HDRSCOPE_TOKEN';
const FOLDER_VARIABLE = 'HDRSCOPE_LIVE_PAGE_HISTORY';
const DASHBOARD = '@hdrscope/dashboard';

/**
 * Reads `HDRSCOPE_LIVE_PAGE`: a port, or a host and a port. A host that is not loopback needs `HDRSCOPE_TOKEN`. Nothing is loaded before
 * the page is served. `HDRSCOPE_LIVE_PAGE_HISTORY` names the folder of its history, which the next process that leads takes over.
 *
 * @param title The title of the page. @default that of the dashboard
 * @param pauseMs The time between two attempts to get a port that another program has.
 * @returns `undefined` when the variable is not set, or, with a warning, when it has another value.
 */
export function readLivePage(
  environment: EnvironmentVariables,
  application: Pick<Application, 'load'>,
  title: string | undefined,
  pauseMs = 5000,
): LivePage | undefined {
  const text = variable(environment, VARIABLE);
  if (text === undefined) return undefined;
  const [, host, port] = /^(?:(.*):)?(\d{1,5})$/.exec(text) ?? [];
  if (!(Number(port) >= 1 && Number(port) <= 65_535)) {
    notice(
      'ERR_INVALID_OPTION',
      `${VARIABLE} must be a port such as 9465, or a host and a port, got '${text}'`,
    );
    return undefined;
  }
  const token = variable(environment, TOKEN_VARIABLE);
  const historyFolder = variable(environment, FOLDER_VARIABLE);
  const options = {
    port: Number(port),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    ...(title !== undefined && { title }),
    ...(historyFolder !== undefined && { historyFolder }),
  };
  let isClosed = false;
  let running: Awaited<ReturnType<Dashboard['serveDashboard']>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const serve = async (registry: Registry): Promise<void> => {
    try {
      const { serveDashboard } = application.load(DASHBOARD) as unknown as Dashboard;
      running = await serveDashboard(registry, options);
      if (isClosed) await running.close();
    } catch (error) {
      if (isClosed) return;
      if (isAbsent(error)) {
        notice('HDRSCOPE_MISSING_PACKAGE', `the live page is not served: npm install ${DASHBOARD}`);
        return;
      }
      const { code } = error as NodeJS.ErrnoException;
      const isTaken = code === 'EADDRINUSE';
      const reason = isTaken ? describeListenError(error, VARIABLE) : reasonsOf(error);
      if (code === 'ERR_INVALID_OPTION') notice(code, `${VARIABLE} and ${TOKEN_VARIABLE}: ${reason}`);
      else notice('HDRSCOPE_FAILED', `the live page is not served: ${reason}`);
      if (isTaken) timer = setTimeout(() => void serve(registry), pauseMs).unref();
    }
  };
  return {
    serve: (registry) => void serve(registry),
    close() {
      isClosed = true;
      clearTimeout(timer);
      void running?.close();
    },
  };
}

/** Warns when the environment asks for a live page that nothing serves. */
export function warnOfNoLivePage(environment: EnvironmentVariables): void {
  if (variable(environment, VARIABLE) === undefined) return;
  const needs =
    'it needs @hdrscope/prometheus, OTEL_METRICS_EXPORTER=prometheus with a port, and the pipeline of register';
  notice(
    'HDRSCOPE_UNREACHABLE',
    `the live page is not served: ${needs}; others call serveDashboard of ${DASHBOARD}`,
  );
}
