/**
 * Sets the variables of an application that pm2 runs as a worker of its cluster. They are in one variable until pm2's own code, which
 * runs after `register`, sets each: https://github.com/Unitech/pm2/blob/master/lib/ProcessContainer.js
 */
export function adoptPm2(environment: NodeJS.ProcessEnv): void {
  const { pm2_env: text } = environment;
  if (text === undefined) return;
  let variables: unknown;
  try {
    variables = JSON.parse(text);
  } catch {
    return;
  }
  for (const [name, value] of Object.entries(Object(variables))) {
    if (typeof value === 'string' || typeof value === 'number') environment[name] ??= String(value);
  }
}
