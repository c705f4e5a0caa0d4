/**
 * A service that asks a model by the client of OpenAI, which an instrumentation measures, and beside it a server of two models that
 * streams tokens, and measures itself. GET /items/ID asks one of the models, GET /ledger says what there was to measure, and GET /quit
 * ends the process.
 */
const { createServer } = require('node:http');
const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const { metrics } = require('@opentelemetry/api');
const OpenAI = require('openai');

const meter = metrics.getMeter('model-server');
const firstToken = meter.createHistogram('gen_ai.server.time_to_first_token', { unit: 's' });
const laterToken = meter.createHistogram('gen_ai.server.time_per_output_token', { unit: 's' });

/** What was recorded, or had to be: metric, model, token type, value. */
const ledger = [];

/** `large` takes longer, and its answers are longer. */
const MODELS = { small: { waitMs: 1, tokens: 3 }, large: { waitMs: 4, tokens: 9 } };

async function answer(request, response) {
  const startMs = performance.now();
  let text = '';
  for await (const chunk of request) text += chunk;
  const { model, user } = JSON.parse(text);
  const id = Number(user);
  const { waitMs, tokens } = MODELS[model];
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.provider.name': 'fake',
  };
  const record = (instrument, name, value) => {
    instrument.record(value, { ...attributes, 'server.address': `10.0.0.${id % 7}` });
    ledger.push({ name, model, value });
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (fields) => {
    const chunk = {
      id: `c-${id}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: `${model}-2026`,
      choices: [],
      ...fields,
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  await sleep(waitMs * (1 + (id % 5)));
  const firstMs = performance.now();
  record(firstToken, 'gen_ai.server.time_to_first_token', (firstMs - startMs) / 1000);
  for (let n = 0; n < tokens; n++) {
    if (n > 0 && n % 4 === 0) await sleep(1);
    send({
      choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: n === tokens - 1 ? 'stop' : null }],
    });
  }
  record(
    laterToken,
    'gen_ai.server.time_per_output_token',
    (performance.now() - firstMs) / 1000 / (tokens - 1),
  );
  // Between 1 and 5000, so that a few values are not all in one bucket.
  const usage = { prompt_tokens: 1 + ((id * id * 37) % 5000), completion_tokens: tokens };
  for (const [type, value] of [
    ['input', usage.prompt_tokens],
    ['output', tokens],
  ]) {
    ledger.push({ name: 'gen_ai.client.token.usage', model, type, value });
  }
  send({ usage: { ...usage, total_tokens: usage.prompt_tokens + tokens } });
  response.end('data: [DONE]\n\n');
}

async function main() {
  const models = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(models, 'listening');
  const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${models.address().port}/v1` });
  const server = createServer(async (request, response) => {
    const [, path, id] = request.url.split('/');
    if (path === 'items') {
      const stream = await client.chat.completions.create({
        model: Number(id) % 3 === 0 ? 'large' : 'small',
        messages: [{ role: 'user', content: 'hello' }],
        stream: true,
        stream_options: { include_usage: true },
        user: id,
      });
      let words = 0;
      for await (const { choices } of stream) words += choices.length;
      response.end(`${words} words`);
    } else if (path === 'ledger') response.end(JSON.stringify(ledger));
    else {
      response.end('bye');
      for (const one of [server, models]) {
        one.close();
        one.closeAllConnections();
      }
    }
  }).listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
}

void main();
