import { readFileSync } from 'node:fs';

const FORMAT = new URL('../../../../docs/formats/history.md', import.meta.url);

/** The statement about exemplars that the description of the format has for an engine. */
export function documentedSql(engine: 'duckdb' | 'clickhouse' | 'postgres'): string {
  const [, section = ''] = readFileSync(FORMAT, 'utf8').split('\n## Exemplars\n');
  const statements = [...section.matchAll(/```sql\n([\s\S]*?);\n```/g)].map(([, sql]) => sql!);
  return statements[['duckdb', 'clickhouse', 'postgres'].indexOf(engine)]!;
}
