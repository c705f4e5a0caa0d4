import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';
import { revive, written } from '../forms.js';

/** @typedef {import('../engine.js').Target} Target */

/** A port whose other end is this process. @param {boolean} isThread */
function fakePort(isThread) {
  /** @type {((message: any) => void)[]} */
  const listeners = [];
  /** @type {any[]} */
  const sent = [];
  return {
    sent,
    on: (/** @type {string} */ event, /** @type {any} */ listener) =>
      event === 'message' && listeners.push(listener),
    off() {},
    receive: (/** @type {any} */ message) => {
      for (const listener of listeners) listener(message);
    },
    ...(isThread
      ? { postMessage: (/** @type {any} */ message) => sent.push(structuredClone(message)) }
      : {
          send(/** @type {any} */ message, /** @type {any} */ callback) {
            sent.push(JSON.parse(JSON.stringify(message)));
            callback?.(null);
          },
        }),
  };
}

const ASK = { hdrscope: 'collect', version: 2, request: 1, timeoutMs: 1000, asker: 'me' };

/** @returns {Promise<any>} A registry with series of all kinds. */
async function filledRegistry() {
  const { createRegistry } = await importSource('registry/src/index.ts');
  const registry = createRegistry();
  registry
    .histogram({ name: 'jobs', unit: 's' })
    .with({ op: 'get', n: 5, list: ['a', 'b'] })
    .record(0.25);
  registry
    .histogram({ name: 'sizes', unit: 'By', significantDigits: 2, scope: { name: 's' } })
    .with({})
    .record(-1);
  registry
    .histogram({ name: 'bounds', unit: 'ms', boundaries: [1, 10, 100] })
    .with({ a: true })
    .record(7);
  return registry;
}

/** @param {boolean} isThread */
async function changesOf(isThread) {
  const { serveRegistry } = await importSource('registry/src/index.ts');
  const port = fakePort(isThread);
  serveRegistry(await filledRegistry(), port);
  port.receive(ASK);
  while (port.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return written(port.sent[0]);
}

/** @returns {Promise<Target>} */
export async function remoteChanges() {
  const { createRegistry } = await importSource('registry/src/index.ts');
  const { readChanges } = await importSource('registry/src/remote/wire.ts');
  const { RemoteStates } = await importSource('registry/src/remote/remote-states.ts');
  return {
    form: 'message',
    seeds: [await changesOf(true), await changesOf(false)],
    gathers: true,
    mostMs: 1000,
    mostMb: 256,
    async run(json) {
      const changes = readChanges(revive(json));
      if (changes === undefined) return;
      const registry = createRegistry();
      const states = new RemoteStates(registry);
      states.attach(changes.instance);
      const problems = await states.take(changes, {});
      for (const problem of problems) {
        if (problem?.name === 'HdrscopeError') continue;
        assertThat(problem instanceof Error && problem.name === 'Error', () => `a problem is ${problem}`);
      }
      const { families, errors } = await registry.gather();
      assertThat(errors.length === 0, () => JSON.stringify(errors));
      for (const { series } of families) {
        for (const { histogram } of series)
          assertThat(histogram.totalCount >= 0, () => `${histogram.totalCount} values`);
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function remoteQuestion() {
  const { readCollect } = await importSource('registry/src/remote/wire.ts');
  const { ServedRegistry } = await importSource('registry/src/remote/served-registry.ts');
  const registry = await filledRegistry();
  const known = { instance: 'x', sequence: 3, families: 1, generation: 0, series: 2 };
  return {
    form: 'message',
    seeds: [ASK, { ...ASK, known }],
    gathers: true,
    async run(json) {
      const question = readCollect(revive(json));
      if (question !== undefined)
        await new ServedRegistry(registry).answer(question, { isLast: false, isText: true });
    },
  };
}
