import { assertThat } from '../check.js';
import { sourceOf } from '../sources.js';

/** A reference to a variable of the environment. @param {string} name */
const variable = (name) => ['$', '{', name, '}'].join('');

/** @returns {Promise<import('../engine.js').Target>} */
export async function agentYaml() {
  const { CONFIG_TEMPLATE, readConfig } = await sourceOf('agent/src/index.ts');
  return {
    form: 'text',
    seeds: [
      'sources: []\nsinks: [{ type: prometheus, listen: "localhost:0" }]\n',
      'shutdownTimeout: 10s\nsources:\n  - type: stdin\n    metric: { name: a, unit: ms }\n  - { type: otlp, listen: localhost:4318 }\nsinks:\n  - type: otlp\n    url: http://localhost:4318\n    headers: { a: "VARIABLE" }\n    interval: 1m30s\n'.replace(
        'VARIABLE',
        variable('TOKEN:-x'),
      ),
      'sources:\n  - &a\n    type: interval-log\n    path: x.hlog\n    metric: { name: a, unit: ns }\n  - <<: *a\n    name: b\nsinks:\n  - { type: dashboard, listen: 127.0.0.1:0, token: "VARIABLE" }\n'.replace(
        'VARIABLE',
        variable('TOKEN'),
      ),
      CONFIG_TEMPLATE,
    ],
    words: [
      'sources:',
      'sinks:',
      '- ',
      '  ',
      '${',
      variable('TOKEN'),
      ':-',
      '}',
      '$$',
      '&a ',
      '*a',
      '<<: *a',
      '[',
      '{',
      '!!js/function ',
      '!!binary ',
      '|\n',
      '---\n',
      '? ',
      '"',
    ],
    mostMs: 1500,
    mostMb: 256,
    run(text) {
      const { config, issues } = readConfig(text, { environment: { TOKEN: 'canary-7531' } });
      assertThat(
        (config === undefined) === issues.length > 0,
        () => 'it has a configuration and issues, or neither',
      );
      for (const { line, column, message } of issues) {
        assertThat(line >= 1 && column >= 1, () => `line ${line}, column ${column}: ${message}`);
        assertThat(!message.includes('canary-7531'), () => `a message has a secret: ${message}`);
        assertThat(!/call stack|is not a function|Cannot read/.test(message), () => message);
      }
    },
  };
}
