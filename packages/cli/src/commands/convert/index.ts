import { isScaledLayout } from '@hdrscope/core/internal';
import {
  type Conversion,
  closeSketch,
  convertSketch,
  NUMBER_UNITS,
  type PositionError,
} from '@hdrscope/inputs/internal';
import { formatCount, valuesText } from '@hdrscope/kit';
import { between } from '../../arguments.ts';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import {
  type FormName,
  findFormByEnding,
  listForms,
  listWritten,
  WRITTEN_FORMS,
} from '../../inputs/forms.ts';
import { explained } from '../../inputs/input.ts';
import { lookAtOperands } from '../../inputs/open-inputs.ts';
import { readSketches, SKETCH_OPTIONS, selectSketches, withCure } from '../../inputs/sketches.ts';
import { integer, unitOption } from '../../options.ts';
import { findEnding, OUTPUT, writeWhole, wrongEnding } from '../../output-options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { startReading } from '../../screen/progress.ts';
import { planForm } from './write-form.ts';

const DESCRIPTION = `Writes a distribution in another form, and prints how far values may be from where that form shows them.

${listForms()}

All counts of a slot go to the slot of its middle, so no count is lost or divided. The error that is printed is the
largest distance of a value from the middle of its slot, as a share of the value: it follows from the widths of the
slots of both forms. No form but json states a unit. hlog and base64 count whole steps, and a sentence says how large a
step is when it is not 1. What OUT cannot hold is refused: values below 0 in HDR slots, slots without a bound, several
distributions of which none is chosen.`;

const POSITIVE = { allowed: 'a number above 0', parse: between(0, Number.POSITIVE_INFINITY) } as const;

export const command = defineCommand({
  path: 'hdrscope convert',
  description: DESCRIPTION,
  examples: [
    'hdrscope convert service.hlog -o service.ddsketch --accuracy 0.005',
    'hdrscope convert --from ddsketch-js latencies.bin -o latencies.hlog',
    'hdrscope convert metrics.prom --metric rpc_seconds --where route=/cart --min 0 --max 30 -o cart.json --unit s',
    "curl -s 'localhost:9901/stats?format=json&histogram_buckets=detailed' | hdrscope convert - --metric cluster.a.upstream_rq_time --to vmrange",
  ],
  operands: { '<file>': 'a file of one of these forms, plain or gzipped; - is standard input' },
  options: {
    output: OUTPUT,
    to: {
      value: '<form>',
      help: 'the form to write',
      choices: WRITTEN_FORMS,
      fallback: "by the file's ending",
    },
    ...SKETCH_OPTIONS,
    digits: {
      value: '<number>',
      help: 'for hlog, base64 and json: significant digits, 0 to 5',
      parse: integer(0, 5),
      fallback: 'those of HDR counts, else 3',
    },
    resolution: {
      value: '<step>',
      help: 'for hlog, base64 and json: the step between two values that are kept apart',
      ...POSITIVE,
      fallback: 'that of HDR counts, else a power of ten that keeps the digits',
    },
    accuracy: {
      value: '<share>',
      help: 'for ddsketch: the relative accuracy, above 0 and below 1',
      ...POSITIVE,
      fallback: '0.01',
    },
    buckets: {
      value: '<number>',
      help: 'for elasticsearch, otlp and prometheus-protobuf: the most buckets on one side of 0',
      parse: integer(2),
      fallback: 'those of exponential buckets, else 160',
    },
    unit: unitOption(
      'for json, otlp and prometheus-protobuf: the unit of the values',
      'as the file states it, else none',
    ),
    name: {
      value: '<name>',
      help: 'for forms of metrics: the name of the metric',
      allowed: 'a name of letters, digits, _ and :',
      parse: (text: string) => (NAME.test(text) ? text : undefined),
      fallback: 'as the file states it, else values',
    },
  },
  async run({ options, operands: [path = '-'] }, io) {
    const { output = '-' } = options;
    const to = options.to ?? chooseForm(output);
    const { operands, totalBytes } = await lookAtOperands([path]);
    const { name } = operands[0]!;
    const source = path === '-' ? io.stdin : path;
    const { form, sketches } = await readSketches(
      { name, source },
      options,
      startReading(io, totalBytes),
      io,
    );
    const [stated] = selectSketches(sketches, options, name, true);
    const sketch = closeSketch(stated);
    if (sketch.counted.counts.total === 0) throw new Refusal(`${name} has no values`);
    const unit = options.unit ?? NUMBER_UNITS.find((one) => one === stated.unit) ?? 'none';
    const metric = options.name ?? metricName(stated.name);
    const converted = await explained(() =>
      withCure(name, () =>
        convertSketch(sketch, planForm(to, sketch.counted, { ...options, unit, name: metric, from: name })),
      ),
    );
    await write(converted, output, to, io);
    await report(converted, form, to, output, io);
  },
});

/** The form that the ending of a file stands for. @throws UsageError */
function chooseForm(output: string): FormName {
  const found = findFormByEnding(output);
  if (found !== undefined) return found;
  const written = listWritten();
  if (findEnding(output) !== undefined)
    throw wrongEnding(output, 'hdrscope convert', written, '--to says which');
  throw new UsageError(`--to is required where no ending of a file says the form: ${written.join(', ')}`);
}

async function write({ content }: Conversion, output: string, to: FormName, io: Io): Promise<void> {
  if (output !== '-') await writeWhole([content], output, io.signal);
  else if (typeof content === 'string') await io.stdout.write(content);
  else throw new UsageError(`${to} is not text: -o names the file`);
}

// Report.

async function report(
  { counted, before, after, misplaced, mayBeCollapsed }: Conversion,
  from: FormName,
  to: FormName,
  output: string,
  io: Io,
): Promise<void> {
  const { total } = counted.counts;
  const lines = [
    `${valuesText(total)}, ${from} to ${to}`,
    after.relative === Number.POSITIVE_INFINITY
      ? `some values are in a slot of ${to} without a bound, and may be any distance from it`
      : `a value is at most ${share(after)} from the middle of its slot in ${to}; in ${from} it was ${share(before)}`,
  ];
  if (after.aroundZero > 0)
    lines.push(`values in slots that contain 0 are at most ${number(after.aroundZero)} from it`);
  if ((to === 'hlog' || to === 'base64') && isScaledLayout(counted.layout)) {
    const { unitsPerTick, ticksPerUnit } = counted.layout.resolution;
    const step = unitsPerTick / ticksPerUnit;
    lines.push(
      `${to} counts steps of ${step}, which it does not state: its values times ${step} are those of ${from}`,
    );
  }
  if (mayBeCollapsed > 0)
    lines.push(
      `${formatCount(mayBeCollapsed)} of ${formatCount(total)} are in bins of ${from} that may have taken smaller or larger values: those may be farther from the middle`,
    );
  if (misplaced > 0)
    lines.push(`${formatCount(misplaced)} of ${formatCount(total)} may be in a slot beside theirs`);
  const text = lines.map((line) => `${wrapToScreen(line, io)}\n`).join('');
  await (output === '-' ? io.stderr : io.stdout).write(text);
}

function share({ relative }: PositionError): string {
  return `${number(relative * 100)} %`;
}

/** Three digits, rounded up: it is a bound. */
function number(value: number): string {
  if (value === 0) return '0';
  const step = 10 ** (Math.floor(Math.log10(value)) - 2);
  return String(Number((Math.ceil(value / step - 1e-9) * step).toPrecision(3)));
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** A name that Prometheus takes. */
function metricName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_:]/g, '_');
  return NAME.test(plain) ? plain : 'values';
}
