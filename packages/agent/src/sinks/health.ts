import { closeServer } from '@hdrscope/kit';
import { createGuardedServer, listenAt, refuse } from '@hdrscope/kit/server';
import type { HealthSinkConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { guardOf, noteOpenServer, urlOf } from '../guard.ts';

const PATH = '/health';

/**
 * Answers whether all sources and sinks work: 200, or 503 with a line for each one that does not. `/healthz` answers whether the
 * process does.
 */
export const startHealth: Start<HealthSinkConfig> = async (config, context) => {
  const { listen } = config;
  const server = createGuardedServer(
    ({ url = '' }, response) => {
      const [path] = url.split('?');
      const failing = failingEntries(context);
      if (path !== PATH) refuse(response, 404, `health is at ${PATH} and /healthz`);
      else if (failing.length > 0) refuse(response, 503, failing.join('\n'));
      else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok\n');
    },
    { ...guardOf(config, context), host: listen.host, unref: true, onProblem: context.failed },
  );
  const port = await listenAt(server, listen);
  noteOpenServer(config, 'can read the names of sources and sinks', context);
  return { note: urlOf(config, port, PATH), stop: () => closeServer(server) };
};

/** Lines such as `source osd.0: failing`. Errors may name files, so they are in the log only. */
function failingEntries({ health, shown }: EntryContext): string[] {
  return health()
    .entries.filter(({ state }) => state === 'failing' || state === 'waiting')
    .map(({ kind, name, state }) => shown(`${kind} ${name}: ${state}`));
}
