/** The forms of sketches that a text shows by its content. */
export type SketchForm = (typeof SKETCH_FORMS)[number];

/** All of them. */
const SKETCH_FORMS = [
  'ddsketch',
  'elasticsearch',
  'envoy',
  'vmrange',
  'prometheus',
  'prometheus-protobuf',
  'otlp',
] as const;

/** What begins each form. */
const MARKS: Readonly<Record<SketchForm, RegExp>> = {
  // A mapping, of 9 to 20 bytes, whose first field is a double from 1 to 2: its last byte is 0x3f, and the one before it no UTF-8.
  ddsketch: /^\n\p{Cc}\t[^\n]{1,6}\ufffd\?/u,
  // The keys may come in any order.
  elasticsearch:
    /^\s{0,100}\{(?=[^{}]{0,1000}"scale"\s{0,9}:)[\s\S]{0,2000}"(?:positive|negative)"\s{0,9}:\s{0,9}\{\s{0,9}"(?:indices|counts)"\s{0,9}:/,
  envoy: /^\s{0,100}\{\s{0,100}"stats"\s{0,9}:\s{0,9}\[/,
  vmrange:
    /^[a-zA-Z_:][a-zA-Z0-9_:]{0,400}_bucket\{[^\n]{0,4000}vmrange="[-+.\de]{1,20}\.\.\.[-+.\deInf]{1,20}"/m,
  otlp: /^\s{0,100}\{\s{0,100}"resourceMetrics"\s{0,9}:/,
  // A bucket, or a whole histogram of OpenMetrics 2.
  prometheus:
    /^(?:[a-zA-Z_:][a-zA-Z0-9_:]{0,400}_bucket\{[^\n]{0,4000}le="[-+.\deInf]{1,30}"|[a-zA-Z_:{][^\n]{0,4000} \{count:\d)/m,
  // The length of a family, its name and perhaps its help, then its type before its first metric. Texts have no such control characters.
  'prometheus-protobuf':
    /^(?!\n)[\s\S]{1,4}\n[\s\S]{1,2}[a-zA-Z_:][a-zA-Z0-9_:.]{0,400}(?!\s)\p{Cc}[\s\S]{0,4000}?(?!\s)\p{Cc}(?!\s)\p{Cc}"/u,
};

/**
 * Recognises a sketch of another program by the beginning of its text; `undefined` for other texts. Bytes are read as UTF-8, without those
 * that are none.
 */
export function recogniseSketch(beginning: string): SketchForm | undefined {
  return SKETCH_FORMS.find((form) => MARKS[form].test(beginning));
}

/** Whether a form is one of a sketch. */
export function isSketch(form: string): form is SketchForm {
  return SKETCH_FORMS.some((one) => one === form);
}
