import { UsageError } from '../../command.ts';

/** The URL of a server. @param name The option that has it. @throws UsageError */
export function readServerUrl(text: string, name: string): URL {
  const found = URL.canParse(text) ? new URL(text) : undefined;
  if (found?.protocol === 'http:' || found?.protocol === 'https:') return found;
  throw new UsageError(`${name} must be a URL, as in http://localhost:9090, got '${text}'`);
}

/** The URL of the metrics of a target: without a path, the path is /metrics. @throws UsageError */
export function readTargetUrl(text: string): URL {
  const full = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(full)) {
    throw new UsageError(`a target must be a URL such as http://localhost:9100, got '${text}'`);
  }
  const url = new URL(full);
  if (url.pathname === '/' && url.search === '') url.pathname = '/metrics';
  return url;
}
