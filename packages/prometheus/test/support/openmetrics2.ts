/**
 * A reader of OpenMetrics 2.0 that shares only the specification with the writer: it accepts what the specification's ABNF
 * accepts. Source: https://prometheus.io/docs/specs/om/open_metrics_spec_2_0/#abnf
 */
export interface ParsedFamily {
  readonly name: string;
  type: string;
  unit: string;
  help: string;
  readonly samples: ParsedSample[];
}

export interface ParsedSample {
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The fields of a composite value as text. */
  readonly fields?: ReadonlyMap<string, string>;
  readonly value?: number;
  readonly time?: number;
  readonly start?: number;
  readonly exemplars: readonly { labels: string; value: number; time: number }[];
}

const REAL = String.raw`[+-]?(?:\d+(?:\.\d*)?|\d*\.\d+)(?:e[+-]?\d+)?`;
const NUMBER = `(?:${REAL}|[+-]?[Ii][Nn][Ff](?:[Ii][Nn][Ii][Tt][Yy])?|[Nn][Aa][Nn])`;
const QUOTED = String.raw`"(?:[^\n"\\]|\\[^\n])*"`;
const NON_EMPTY = String.raw`"(?:[^\n"\\]|\\[^\n])+"`;
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = `(?:[a-zA-Z_][a-zA-Z0-9_]*|${NON_EMPTY})=${QUOTED}`;
const LABELS = String.raw`\{(?:${LABEL}(?:,${LABEL})*)?\}`;
const NAMED_LABELS = String.raw`\{${NON_EMPTY}(?:,${LABEL})*\}`;
const INTEGER = String.raw`[+-]?\d+`;
const SPANS = String.raw`\[(?:${INTEGER}:\+?\d+(?:,\+?\d+:\+?\d+)*)?\]`;
const BUCKETS = String.raw`\[(?:${NUMBER}(?:,${NUMBER})*)?\]`;
const SIDE = (side: string): string => `(?:,${side}_spans:${SPANS},${side}_buckets:${BUCKETS})?`;
const NATIVE = `schema:${INTEGER},zero_threshold:${REAL},zero_count:${NUMBER}${SIDE('negative')}${SIDE('positive')}`;
const CLASSIC = String.raw`bucket:\[(?:(?:-Inf|${REAL}):${NUMBER},)?(?:${REAL}:${NUMBER},)*\+Inf:${NUMBER}\]`;
const HISTOGRAM = `count:${NUMBER},sum:${NUMBER},(?:${CLASSIC}|${NATIVE}(?:,${CLASSIC})?)`;
const GAUGE_HISTOGRAM = HISTOGRAM.replace('count', 'gcount').replace('sum', 'gsum');
const SUMMARY = String.raw`count:${NUMBER},sum:${NUMBER},quantile:\[(?:${REAL}:${NUMBER}(?:,${REAL}:${NUMBER})*)?\]`;
const EXEMPLAR = ` # ${LABELS} ${NUMBER} ${REAL}`;

const SAMPLE = new RegExp(
  `^(?:(?<name>${NAME})(?<labels>${LABELS})?|(?<named>${NAMED_LABELS})) ` +
    String.raw`(?:(?<number>${NUMBER})|\{(?<composite>${HISTOGRAM}|${GAUGE_HISTOGRAM}|${SUMMARY})\})` +
    `(?: (?<time>${REAL}))?(?: st@(?<start>${REAL}))?(?<exemplars>(?:${EXEMPLAR})*)$`,
);
const TYPES = 'counter|gauge|histogram|gaugehistogram|stateset|info|summary|unknown';
const COMMENT = new RegExp(
  `^# (?:TYPE (?<typed>${NAME}|${NON_EMPTY}) (?<type>${TYPES})|` +
    `UNIT (?<united>${NAME}|${NON_EMPTY}) (?<unit>[a-zA-Z0-9_:]*)|` +
    String.raw`HELP (?<helped>${NAME}|${NON_EMPTY}) (?<help>(?:[^\n"\\]|\\[^\n])*))$`,
);

/** Throws when the text is no exposition. */
export function parseOpenMetrics2(text: string): ParsedFamily[] {
  const end = /# EOF\n?$/.exec(text);
  if (end === null) throw new Error('an exposition must end with # EOF');
  const families = new Map<string, ParsedFamily>();
  let open: ParsedFamily | undefined;
  const familyOf = (name: string): ParsedFamily => {
    if (open?.name === name) return open;
    if (families.has(name)) throw new Error(`the family ${name} comes twice`);
    open = { name, type: 'unknown', unit: '', help: '', samples: [] };
    families.set(name, open);
    return open;
  };
  const lines = text.slice(0, end.index).split('\n');
  if (lines.pop() !== '') throw new Error('# EOF must begin a line');
  for (const line of lines) {
    const comment = COMMENT.exec(line)?.groups;
    if (comment !== undefined) {
      const family = familyOf(unquoted(comment.typed ?? comment.united ?? comment.helped!));
      if (comment.type !== undefined) family.type = comment.type;
      if (comment.unit !== undefined) family.unit = comment.unit;
      if (comment.help !== undefined) family.help = unescaped(comment.help);
      continue;
    }
    const sample = SAMPLE.exec(line)?.groups;
    if (sample === undefined) throw new Error(`no line of OpenMetrics 2.0: ${line}`);
    const { name, labels, named, number, composite, time, start, exemplars } = sample;
    const own = named === undefined ? undefined : new RegExp(NON_EMPTY).exec(named)![0];
    familyOf(own === undefined ? name! : unquoted(own)).samples.push({
      labels: labelsIn(own === undefined ? (labels ?? '') : named!.slice(1 + own.length)),
      ...(number !== undefined && { value: toNumber(number) }),
      ...(composite !== undefined && { fields: fieldsOf(composite) }),
      ...(time !== undefined && { time: Number(time) }),
      ...(start !== undefined && { start: Number(start) }),
      exemplars: [...exemplars!.matchAll(new RegExp(` # (${LABELS}) (${NUMBER}) (${REAL})`, 'g'))].map(
        ([, inBraces, value, at]) => ({
          labels: inBraces!,
          value: toNumber(value!),
          time: Number(at),
        }),
      ),
    });
  }
  return [...families.values()];
}

/** Spans and absolute counts as counts by Prometheus' index. */
export function bucketsIn(
  fields: ReadonlyMap<string, string>,
  side: 'positive' | 'negative',
): Map<number, number> {
  const list = (name: string): string[] => fields.get(name)?.slice(1, -1).split(',') ?? [];
  const counts = list(`${side}_buckets`).map(Number);
  const buckets = new Map<number, number>();
  let index = 0;
  for (const span of list(`${side}_spans`)) {
    const [offset, length] = span.split(':').map(Number);
    index += offset!;
    for (let i = 0; i < length!; i++) buckets.set(index++, counts.shift()!);
  }
  if (counts.length > 0) throw new Error(`the spans of ${side} buckets lack ${counts.length}`);
  return buckets;
}

export function toNumber(text: string): number {
  if (/^[+-]?inf/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(text) ? Number.NaN : Number(text);
}

function fieldsOf(composite: string): Map<string, string> {
  return new Map(
    [...composite.matchAll(/([a-z_]+):(\[[^\]]*\]|[^,]*)/g)].map(([, name, value]) => [name!, value!]),
  );
}

function labelsIn(text: string): [string, string][] {
  return [...text.matchAll(new RegExp(`([a-zA-Z_][a-zA-Z0-9_]*|${NON_EMPTY})=(${QUOTED})`, 'g'))].map(
    ([, name, value]) => [unquoted(name!), unquoted(value!)],
  );
}

function unquoted(text: string): string {
  return text.startsWith('"') ? unescaped(text.slice(1, -1)) : text;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
