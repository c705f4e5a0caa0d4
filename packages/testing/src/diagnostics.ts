import { DiagLogLevel, diag } from '@opentelemetry/api';

/** The messages that reached OpenTelemetry's diagnostics during a test. */
export interface Diagnostics {
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly debug: readonly string[];
}

/** Collects diagnostics in each test of the surrounding `describe` or file. */
export function collectDiagnostics(): Diagnostics {
  const messages = { warnings: [] as string[], errors: [] as string[], debug: [] as string[] };
  const logger = {
    warn: (message: string) => void messages.warnings.push(message),
    error: (message: string) => void messages.errors.push(message),
    debug: (message: string) => void messages.debug.push(message),
    info: () => {},
    verbose: () => {},
  };
  beforeEach(() => {
    messages.warnings.length = 0;
    messages.errors.length = 0;
    diag.setLogger(logger, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true });
    messages.debug.length = 0; // `setLogger` logs a message itself
  });
  afterEach(() => diag.disable());
  return messages;
}
