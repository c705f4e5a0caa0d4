import type { NamedSketch } from '@hdrscope/inputs/sketches';

/** A form of distributions that `hdrscope convert` reads or writes. */
export interface Form {
  /** What `--from` and `--to` call it. */
  readonly name: string;
  readonly what: string;
  readonly isRead: boolean;
  readonly isWritten: boolean;
  /** Whether a file shows the form by its content. Without that, `--from` has to name it. */
  readonly isRecognised: boolean;
  /** The ending of files that are written in it. @default `--to` has to name it */
  readonly ending?: string;
  /** How wide its slots are. */
  readonly slots: string;
}

/** All forms, as the help and docs/formats/README.md list them. */
export const FORMS = [
  form('hlog', 'an interval log of HdrHistogram; all intervals are added up', 'rwx', '--digits', '.hlog'),
  form('base64', 'an encoded HdrHistogram in Base64', 'rwx', '--digits'),
  form('json', 'figures with an encoded histogram, its unit and its steps', 'rwx', '--digits', '.json'),
  form(
    'ddsketch',
    'the protobuf of a DDSketch, by sketches-go and sketches-java',
    'rw',
    '--accuracy',
    '.ddsketch',
  ),
  form('ddsketch-js', 'the same by sketches-js', 'rw', '--accuracy'),
  form('ddsketch-py', 'the same by sketches-py', 'rw', '--accuracy'),
  form('ddsketch-binary', 'the encoding of sketches-go and sketches-java', 'r', 'its own'),
  form('elasticsearch', "a value of Elasticsearch's field type exponential_histogram", 'rwx', '--buckets'),
  form(
    'envoy',
    "the answer of Envoy's admin to /stats?format=json&histogram_buckets=detailed",
    'rx',
    'two decimal digits',
  ),
  form(
    'vmrange',
    'a text of metrics with the buckets of VictoriaMetrics',
    'rwx',
    '18 in a power of ten',
    '.vmrange',
  ),
  form(
    'prometheus',
    'a text of metrics for Prometheus, classic when written',
    'rwx',
    'the bounds of IN, at most 160',
    '.prom',
  ),
  form('prometheus-protobuf', 'metrics for Prometheus in protobuf, native or classic', 'r', 'its own'),
  form('otlp', 'a file of OTLP, exponential or explicit', 'rx', 'its own'),
  form('percentiles', 'percentile text (.hgrm, wrk2 --latency)', 'rx', 'its own'),
  form('counts', 'what fio (json+, log_hist_msec) and Locust (--json) have counted', 'rx', 'its own'),
] as const satisfies readonly Form[];

export type FormName = (typeof FORMS)[number]['name'];

/** @param can `r` when the form is read, `w` when it is written, `x` when a file shows it by its content. */
function form<const Name extends string>(
  name: Name,
  what: string,
  can: string,
  slots: string,
  ending?: string,
) {
  return {
    ...{ name, what, slots },
    isRead: can.includes('r'),
    isWritten: can.includes('w'),
    isRecognised: can.includes('x'),
    ...(ending !== undefined && { ending }),
  };
}

/** A distribution of an input. */
export interface ReadSketch extends NamedSketch {
  /** The unit of its values. @default the form does not state it */
  readonly unit?: string | undefined;
}

/** The forms that are read. */
export const READ_FORMS: readonly FormName[] = FORMS.filter(({ isRead }) => isRead).map(({ name }) => name);
/** The forms that are written. */
export const WRITTEN_FORMS: readonly FormName[] = FORMS.filter(({ isWritten }) => isWritten).map(
  ({ name }) => name,
);

/** The form of files with an ending. */
export function findFormByEnding(path: string): FormName | undefined {
  return FORMS.find((one: Form) => one.ending !== undefined && path.toLowerCase().endsWith(one.ending))?.name;
}

/** The forms that are written, with their endings. */
export function listWritten(): string[] {
  return FORMS.filter(({ isWritten }) => isWritten).map(({ name, ending }: Form) =>
    ending === undefined ? name : `${name} (${ending})`,
  );
}

/** The table of forms, as the help has it. */
export function listForms(): string {
  // Bounded: there are fifteen forms.
  const width = 2 + Math.max(...FORMS.map(({ name }) => name.length));
  return FORMS.map(({ name, what, isRead, isWritten }) => {
    const can = isRead && isWritten ? 'read, written' : isRead ? 'read' : 'written';
    return `  ${name.padEnd(width)}${what} (${can})`;
  }).join('\n');
}
