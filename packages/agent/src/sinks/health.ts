import { closeServer } from '@hdrscope/kit';
import { createGuardedServer, listenAt, refuse } from '@hdrscope/kit/server';
import { defineSink, type EntryContext, entry, type SinkPart } from '../part.ts';
import { formatUrl, guardOptions, noteOpenServer, serverKeys } from '../server.ts';

const PATH = '/health';

/**
 * Answers whether all sources and sinks work: 200, or 503 with a line for each one that does not. `/healthz` answers whether the
 * process does.
 */
export const health: SinkPart = defineSink({
  schema: entry(
    'health',
    'Answers at /health whether all sources and sinks work.',
    serverKeys('127.0.0.1:9466'),
  ),
  example: `
# Whether all of these work: /health names those that do not.
- type: health
  listen: 127.0.0.1:9466
`,
  async start(config, context) {
    const { listen } = config;
    const server = createGuardedServer(
      ({ url = '' }, response) => {
        const [path] = url.split('?');
        const failing = listFailing(context);
        if (path !== PATH) refuse(response, 404, `health is at ${PATH} and /healthz`);
        else if (failing.length > 0) refuse(response, 503, failing.join('\n'));
        else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok\n');
      },
      { ...guardOptions(config, context), host: listen.host, unref: true, onProblem: context.failed },
    );
    const port = await listenAt(server, listen);
    noteOpenServer(config, 'can read the names of sources and sinks', context);
    return { note: formatUrl(config, port, PATH), stop: () => closeServer(server) };
  },
});

/** Lines such as `source osd.0: failing`. Errors may name files, so they are in the log only. */
function listFailing({ health, shown }: EntryContext): string[] {
  return health()
    .entries.filter(({ state }) => state === 'failing' || state === 'waiting')
    .map(({ kind, name, state }) => shown(`${kind} ${name}: ${state}`));
}
