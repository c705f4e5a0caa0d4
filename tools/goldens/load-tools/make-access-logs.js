// Writes access logs of nginx 1.22.1 and Apache 2.4.71: the same requests of one client, to a server behind them that waits as it is told.
// Run it in an empty folder, on a machine with both: node make-access-logs.js NGINX APACHE FOLDER_OF_APACHE_MODULES

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [nginx, apache, modules] = process.argv.slice(2);
const here = process.cwd();

const NGINX = `pid ${here}/nginx.pid;
error_log ${here}/error.log;
events { worker_connections 64; }
http {
  client_body_temp_path ${here}/t1; proxy_temp_path ${here}/t2; fastcgi_temp_path ${here}/t3; uwsgi_temp_path ${here}/t4; scgi_temp_path ${here}/t5;
  log_format timed '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time';
  log_format upstream '$remote_addr [$time_iso8601] "$request_method $uri" $status rt=$request_time urt="$upstream_response_time" ua="$upstream_addr" msec=$msec';
  log_format json escape=json '{"time":"$time_iso8601","method":"$request_method","uri":"$request_uri","status":$status,"request_time":$request_time,"upstream_addr":"$upstream_addr","user_agent":"$http_user_agent"}';
  upstream app { server 127.0.0.1:18091; server 127.0.0.1:18092; }
  server {
    listen 127.0.0.1:18090;
    access_log ${here}/nginx-1.22.1.log timed;
    access_log ${here}/nginx-1.22.1_upstream.log upstream;
    access_log ${here}/nginx-1.22.1_json.log json;
    location / { proxy_pass http://app; }
  }
}
`;

const APACHE = `ServerRoot ${here}
Listen 127.0.0.1:18080
ServerName localhost
PidFile ${here}/httpd.pid
ErrorLog ${here}/error.log
LoadModule mpm_event_module ${modules}/mod_mpm_event.so
LoadModule authz_core_module ${modules}/mod_authz_core.so
LoadModule proxy_module ${modules}/mod_proxy.so
LoadModule proxy_http_module ${modules}/mod_proxy_http.so
StartServers 1
User nobody
Group nogroup
LogFormat "%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %T %{ms}T" timed
CustomLog ${here}/apache-2.4.71.log timed
ProxyPass / http://127.0.0.1:18091/
`;

/** A server that waits as the path says, and answers with the status that it says. @param {number} port */
function serve(port) {
  return http
    .createServer(async (request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://x');
      await sleep(Number(searchParams.get('ms')));
      response.statusCode = Number(searchParams.get('status') ?? 200);
      response.end('ok\n');
    })
    .listen(port, '127.0.0.1');
}

/** @param {string} base @param {string} method @param {string} path @param {string} agent */
function request(base, method, path, agent) {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { 'user-agent': agent }, agent: false };
    const sent = http.request(base + path, options, (answer) => {
      answer.resume();
      answer.on('end', resolve);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** @param {string} base */
async function sendAll(base) {
  let state = 1;
  for (let i = 0; i < 40; i++) {
    state = (state * 48_271) % 2_147_483_647;
    const id = state % 1000;
    const path = [
      `/cart/${id}?ms=${id % 40}`,
      `/users/${(0x1000_0000 + id * 7919).toString(16)}abcd1234/orders`,
      '/health',
      `/cart/${id}/items?status=503`,
      `/img/a%20b%22${id}.png?status=404`,
    ][i % 5];
    await request(
      base,
      i % 7 === 0 ? 'POST' : 'GET',
      path,
      i % 11 === 0 ? 'a "quoted" \\ agent' : 'golden/1.0',
    );
  }
}

/** @param {string} base @param {string} command @param {string[]} args */
async function record(base, command, args) {
  const server = spawn(command, args, { stdio: 'inherit' });
  await sleep(1500);
  await sendAll(base);
  server.kill();
  await new Promise((resolve) => server.on('exit', resolve));
}

mkdirSync('logs', { recursive: true });
// A server that is root gives up its rights.
chmodSync('.', 0o777);
writeFileSync('nginx.conf', NGINX);
writeFileSync('httpd.conf', APACHE);
const servers = [serve(18_091), serve(18_092)];
await record('http://127.0.0.1:18090', nginx, [
  '-p',
  here,
  '-c',
  'nginx.conf',
  '-g',
  'daemon off; master_process off;',
]);
await record('http://127.0.0.1:18080', apache, ['-f', `${here}/httpd.conf`, '-DFOREGROUND']);
for (const server of servers) {
  server.closeAllConnections();
  server.close();
}
for (const name of [
  'logs',
  't1',
  't2',
  't3',
  't4',
  't5',
  'nginx.conf',
  'httpd.conf',
  'error.log',
  'httpd.pid',
])
  rmSync(name, { recursive: true, force: true });
