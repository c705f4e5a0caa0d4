/** A service of Bun or Deno, with the server of the runtime itself. */
const { Bun, Deno } = globalThis;
const options = { port: 0, hostname: '127.0.0.1' };
const answer = () => new Response('done');
const port =
  Bun === undefined
    ? Deno.serve({ ...options, onListen() {} }, answer).addr.port
    : Bun.serve({ ...options, fetch: answer }).port;
console.log(`listening on ${port}`);
