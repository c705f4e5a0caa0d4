import { once } from 'node:events';
import { connect } from 'node:net';
import { answer } from '@hdrscope/testing/threads';
import { MetricsServer } from '../../src/server.ts';

// What keeps a thread alive while a client is connected to its server. No other test has left anything here.

const options = { host: 'localhost', port: 0, endpoint: '/metrics' };
const server = new MetricsServer(options, (_, response) => void response.end('hello'));
await server.start();
const socket = connect(server.port!, 'localhost');
socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
await once(socket, 'data');
answer(process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')));
