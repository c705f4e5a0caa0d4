/**
 * A service of several processes: a primary, which counts nothing, and workers, which count each request. SIGUSR2 replaces all workers,
 * one after the other, under load.
 */
const cluster = require('node:cluster');
const { createServer } = require('node:http');

if (cluster.isPrimary) lead();
else work();

function lead() {
  const { WORKERS = '2', WORKER_ARGS = '' } = process.env;
  if (WORKER_ARGS !== '') cluster.setupPrimary({ execArgv: WORKER_ARGS.split(' ') });
  let port = 0;
  const fork = () =>
    new Promise((resolve) => {
      const worker = cluster.fork();
      worker.once('listening', (address) => {
        port = address.port;
        resolve(worker);
      });
    });
  // A worker that dies is replaced.
  cluster.on('exit', (worker) => {
    if (!worker.exitedAfterDisconnect && !worker.isReplaced) void fork();
  });
  const first = Array.from({ length: Number(WORKERS) }, fork);
  void Promise.all(first).then(() => console.log(`listening on ${port}`));
  process.on('SIGUSR2', async () => {
    for (const worker of Object.values(cluster.workers)) {
      await fork();
      worker.isReplaced = true;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.process.kill('SIGTERM');
      await ended;
    }
    console.log('all are replaced');
  });
  process.on('SIGTERM', () => process.exit(0));
}

function work() {
  const { count, meter } = require('./basket.cjs');
  const open = meter.createUpDownCounter('open.requests');
  createServer((request, response) => {
    if (request.url === '/die') process.kill(process.pid, 'SIGKILL');
    if (request.url === '/pid') {
      response.end(String(process.pid));
      return;
    }
    open.add(1);
    count(Number(request.url.slice(1)));
    open.add(-1);
    response.end('ok', () => {});
  }).listen(0, '127.0.0.1');
  // First it takes no more connections, and answers those that it has.
  process.on('SIGTERM', () => cluster.worker.disconnect());
  cluster.worker.on('disconnect', async () => {
    await null;
    process.exit(0);
  });
}
