/** Environment variables by name. An empty value counts as unset: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The environment of the process, or an empty one if there is no process. */
export function processEnvironment(): EnvironmentVariables {
  return (globalThis as { readonly process?: { readonly env?: EnvironmentVariables } }).process?.env ?? {};
}

/** The names in a text, separated by commas. A comma at the end adds none. */
export function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The value of the first variable that is set. */
export function variable(environment: EnvironmentVariables, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
