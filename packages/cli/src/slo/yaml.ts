import type { Rule } from './rule-groups.ts';

/** A group of rules as a file for Prometheus. @param comment Lines without line feeds. */
export function rulesYaml(group: string, rules: readonly Rule[], comment: readonly string[]): string {
  const lines = [
    ...comment.map((line) => `# ${line}`),
    'groups:',
    `  - name: ${scalar(group)}`,
    '    rules:',
    ...rules.flatMap(ruleLines),
  ];
  return `${lines.join('\n')}\n`;
}

function ruleLines({ record, alert, expr, labels, annotations }: Rule): string[] {
  return [
    record === undefined ? `      - alert: ${scalar(alert!)}` : `      - record: ${scalar(record)}`,
    '        expr: |-',
    ...expr.split('\n').map((line) => `          ${line}`),
    ...mapLines('labels', labels),
    ...(annotations === undefined ? [] : mapLines('annotations', annotations)),
  ];
}

function mapLines(key: string, map: Readonly<Record<string, string>>): string[] {
  return [
    `        ${key}:`,
    ...Object.entries(map).map(([name, value]) => `          ${scalar(name)}: ${scalar(value)}`),
  ];
}

/** A text of YAML. Quoted texts are those of JSON; a plain one is a text in every version of YAML. */
function scalar(text: string): string {
  const isPlain = /^[a-zA-Z][\w:-]*\w$/.test(text) && !/^(true|false|yes|no|on|off|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
