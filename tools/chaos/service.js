/**
 * A service that records and has ways out. It prints `ready`, records no more when it gets a line on standard input, and ends
 * in good order at SIGTERM.
 *
 * @typedef {object} ServiceSettings
 * @property {string} run
 * @property {string} ledger
 * @property {import('@hdrscope/interval-log').IntervalLogOptions} [log]
 * @property {import('@hdrscope/otel/sender').OtlpSenderOptions} [otlp]
 * @property {string} [socket] The path of an admin socket.
 */
import { createRegistry } from '@hdrscope/registry';
import { BatchRecorder } from './recorder.js';

/** @type {ServiceSettings} */
const { run, ledger, log, otlp, socket } = JSON.parse(/** @type {string} */ (process.argv[2]));

const registry = createRegistry();
const recorder = new BatchRecorder(registry, { run, ledger });
/** @type {(() => Promise<unknown>)[]} */
const ends = [];

/** @param {Error} error */
const onError = (error) => recorder.event(error);

process.on('warning', onError);
if (log !== undefined) {
  const { openIntervalLog } = await import('@hdrscope/interval-log');
  const sink = await openIntervalLog(registry, {
    ...log,
    onWritten: (snapshot) => recorder.safe(snapshot),
    onError,
    onRecovery: () => recorder.event('recovered'),
  });
  ends.push(() => sink.close());
}
if (otlp !== undefined) {
  const { sendOtlp } = await import('@hdrscope/otel/sender');
  const sender = sendOtlp(registry, { ...otlp, observer: { failed: onError } });
  ends.push(async () => {
    await sender.close();
    const { givenUpValues, rejectedPoints, pendingValues } = sender.health;
    if (givenUpValues + rejectedPoints + pendingValues > 0) throw new Error('not all was delivered');
  });
}
if (socket !== undefined) {
  const { registryReplies, serveAdminSocket } = await import('@hdrscope/ceph');
  const serve = () => serveAdminSocket({ path: socket, ...registryReplies(registry) });
  let server = await serve();
  // Somebody has removed the socket: the service serves it again.
  process.on('SIGUSR2', async () => {
    await server.close();
    server = await serve();
  });
  ends.push(() => server.close());
}

process.on('SIGTERM', async () => {
  recorder.stop();
  for (const end of ends) await end();
  process.exit(0);
});
process.stdin.on('data', () => recorder.stop());
process.stdin.on('end', () => process.exit(0));
recorder.start();
console.log('ready');
