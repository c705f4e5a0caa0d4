/** A process, a child of it and a worker thread. Each counts the values that it gets, and ends when a message says so. */
const { fork } = require('node:child_process');
const { createServer } = require('node:http');
const { isMainThread, parentPort, Worker } = require('node:worker_threads');
const { count } = require('./basket.cjs');

const take = (value) => {
  if (value === 'end') process.exit(0);
  count(value);
};

if (!isMainThread) parentPort.on('message', take);
else if (process.argv[2] === 'child') process.on('message', take);
else {
  const thread = new Worker(__filename);
  const child = fork(__filename, ['child']);
  const takers = {
    main: take,
    thread: (value) => thread.postMessage(value),
    child: (value) => child.send(value),
  };
  createServer((request, response) => {
    const [, who, what] = request.url.split('/');
    takers[who](what === 'end' ? what : Number(what));
    response.end('ok');
  }).listen(0, '127.0.0.1', function () {
    console.log(`listening on ${this.address().port}`);
  });
  process.on('SIGTERM', () => {
    child.kill();
    process.exit(0);
  });
}
