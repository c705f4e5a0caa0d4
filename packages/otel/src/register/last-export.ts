import { Worker } from 'node:worker_threads';
import { OTLP_EXPORTER } from '../metric-readers.ts';
import type { ScopeMetrics } from '../sdk.ts';

/** What leaves a process at its very end. */
export interface LastExport {
  /** The path of the package of the exporter. */
  readonly exporterPath: string;
  readonly resource: { readonly attributes: object };
  readonly scopeMetrics: readonly ScopeMetrics[];
}

/**
 * Exports metrics in a thread, which this one waits for: an exit listener can wait for nothing else. The thread makes an exporter of its
 * own, with the environment of the process.
 *
 * @param timeoutMs The longest wait.
 * @throws Error when nobody has taken them in time.
 */
export function exportNow({ exporterPath, resource, scopeMetrics }: LastExport, timeoutMs: number): void {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const metrics = { resource, scopeMetrics };
  const thread = new Worker(EXPORT, {
    eval: true,
    // Without `register`, which would count in the thread, too.
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
    workerData: { exporterPath, name: OTLP_EXPORTER, metrics, state },
  });
  // Its errors would be those of the process.
  thread.on('error', () => {});
  Atomics.wait(state, 0, PENDING, timeoutMs);
  const result = Atomics.load(state, 0);
  if (result === PENDING) throw new Error(`not done within ${Math.round(timeoutMs)} ms`);
  if (result === FAILED) throw new Error('the export has failed');
}

const PENDING = 0;
const TAKEN = 1;
const FAILED = 2;

const EXPORT = `
const { workerData: { exporterPath, name, metrics, state } } = require('node:worker_threads');
const end = (value) => {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
};
try {
  const exporter = new (require(exporterPath)[name])();
  exporter.export(metrics, ({ code }) => end(code === 0 ? ${TAKEN} : ${FAILED}));
} catch {
  end(${FAILED});
}
`;
