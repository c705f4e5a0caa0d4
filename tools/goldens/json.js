/** The form of a fixture: one JSON document, one case a line, integers that a double cannot hold as strings. */

/** @param {{ readonly cases: readonly object[] }} document */
export function formatFixture({ cases, ...header }) {
  const opening = JSON.stringify(header, plain, 2).slice(0, -2); // without the closing brace
  return `${opening},\n  "cases": [\n${cases.map((each) => JSON.stringify(each, plain)).join(',\n')}\n  ]\n}\n`;
}

function plain(_key, value) {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
