/** A page of metrics in text. */
export interface MetricsPage {
  /** By the name and the labels in the order of their names. */
  readonly samples: ReadonlyMap<string, number>;
  /** The lines of types and help texts. */
  readonly types: readonly string[];
}

/** Reads the text format of Prometheus. */
export function parsePage(text: string): MetricsPage {
  const samples = new Map<string, number>();
  const types: string[] = [];
  for (const line of text.split('\n')) {
    if (/^# (HELP|TYPE)/.test(line)) types.push(line);
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const sorted = (labels.match(/\w+="(?:\\.|[^"\\])*"/g) ?? []).sort().join();
    samples.set(`${name}{${sorted}}`, Number(value));
  }
  return { samples, types: types.sort() };
}
