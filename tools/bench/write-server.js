/** A thread that takes remote writes, and says that it has written as many histograms as the main thread has. */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response
      .writeHead(204, { 'x-prometheus-remote-write-histograms-written': String(workerData.histograms) })
      .end();
  });
}).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  parentPort?.postMessage(port);
});
