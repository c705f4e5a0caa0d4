import { DiagLogLevel, diag } from '@opentelemetry/api';

/** The messages that reached OpenTelemetry's diagnostics during a test. */
export interface DiagLog {
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly debug: readonly string[];
}

/** Collects diagnostics in each test of the surrounding `describe` or file. */
export function collectDiagnostics(): DiagLog {
  const log = { warnings: [] as string[], errors: [] as string[], debug: [] as string[] };
  const into =
    (lines: string[]) =>
    (message: string): void =>
      void lines.push(message);
  beforeEach(() => {
    for (const lines of Object.values(log)) lines.length = 0;
    diag.setLogger(
      {
        warn: into(log.warnings),
        error: into(log.errors),
        debug: into(log.debug),
        info: () => {},
        verbose: () => {},
      },
      { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true },
    );
    log.debug.length = 0; // setting a logger logs a message itself
  });
  afterEach(() => diag.disable());
  return log;
}
