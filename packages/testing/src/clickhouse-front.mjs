/**
 * ClickHouse behind HTTP: `clickhouse-front.mjs PACKAGES FOLDER`. The engine is that of the package `chdb`, which is no server; this program
 * answers what `@clickhouse/client` sends. It prints its port. With `CLICKHOUSE_PASSWORD` it wants this password.
 *
 * An insert of a format becomes `INSERT … SELECT … FROM file(…)` with the same settings, because the engine takes statements as texts.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [packages, folder] = process.argv.slice(2);
const { CLICKHOUSE_PASSWORD: password } = process.env;
const { Session } = createRequire(join(packages, 'front.js'))('chdb');
// All shards of these clusters are this engine: `alone` has one, and `pair` two. An engine asks itself without a connection.
const shard = (host) => `<shard><replica><host>${host}</host><port>9000</port></replica></shard>`;
const clusters = `<alone>${shard('127.0.0.1')}</alone><pair>${shard('127.0.0.1')}${shard('localhost')}</pair>`;
const config = join(folder, 'config.xml');
writeFileSync(
  config,
  `<clickhouse><tcp_port>9000</tcp_port><remote_servers>${clusters}</remote_servers></clickhouse>`,
);
const session = new Session(join(folder, 'data'), { connectionArgs: [`--config-file=${config}`] });
const uploads = join(folder, 'uploads');
mkdirSync(uploads);

// The settings of a client that change what an insert does.
const INSERT_SETTINGS = /^(insert_|async_insert$|deduplicate_)/;

let requests = 0;

// Also when the tests have died.
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  answer(request).then(
    (text) => response.end(text),
    (error) => {
      const [, code = '1002'] = /Code: (\d+)/.exec(error.message) ?? [];
      response.writeHead(500, { 'x-clickhouse-exception-code': code });
      response.end(error.message);
    },
  );
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

async function answer(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const sent = Buffer.concat(chunks);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
  if (pathname === '/ping') return 'Ok.\n';
  if (!isAllowed(request.headers)) {
    throw new Error('Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)');
  }
  const statement = searchParams.get('query');
  if (!statement?.startsWith('INSERT')) return session.query(statement ?? body.toString()) ?? '';
  const settings = [...searchParams].filter(([name]) => INSERT_SETTINGS.test(name));
  return insert(statement, settings, body);
}

function isAllowed({ authorization = '' }) {
  if (password === undefined) return true;
  const [, user = ''] = authorization.split(' ');
  return Buffer.from(user, 'base64').toString() === `default:${password}`;
}

function insert(statement, settings, body) {
  // INSERT INTO `table` (`column`, …) FORMAT Parquet
  const [head, format] = splitLast(statement, 'FORMAT');
  const [into, list] = splitLast(head, '(');
  const columns = splitLast(list, ')')[0];
  const file = join(uploads, String(requests++));
  writeFileSync(file, body);
  const all = settings.map(([name, value]) => `${name} = '${value.replace(/['\\]/g, '\\$&')}'`).join(', ');
  try {
    return (
      session.query(
        `${into} (${columns})${all && ` SETTINGS ${all}`} SELECT ${columns} FROM file('${file}', '${format}')`,
      ) ?? ''
    );
  } finally {
    rmSync(file);
  }
}

/** The texts before and after the last place of a word. */
function splitLast(text, word) {
  const at = text.lastIndexOf(word);
  return [text.slice(0, at).trim(), text.slice(at + word.length).trim()];
}
