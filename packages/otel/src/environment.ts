/** Environment variables, as of a process. An empty value is none: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export type Environment = Readonly<Record<string, string | undefined>>;

/** That of the process; none where there is no process. */
export function processEnvironment(): Environment {
  return (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env ?? {};
}

/** The first of several variables that is set. */
export function variable(environment: Environment, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
