import { readFileSync } from 'node:fs';

const FORMAT = new URL('../../../../docs/formats/history.md', import.meta.url);

const ENGINES = ['duckdb', 'clickhouse', 'postgres', 'spark'] as const;

/** The statement that a section of the description of the format has for an engine. */
export function documentedSql(
  section: '## Exemplars' | '### Functions',
  engine: (typeof ENGINES)[number],
): string {
  const [, text = ''] = readFileSync(FORMAT, 'utf8').split(`\n${section}\n`);
  const statements = [...text.matchAll(/```sql\n([\s\S]*?);\n```/g)].map(([, sql]) => sql!);
  return statements[ENGINES.indexOf(engine)]!;
}
