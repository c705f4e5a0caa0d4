/** Prints what users call as JSON: see `PublicFunction`. */
import { publicSymbols, ts } from './public-symbols.js';
import { workspaceRoot } from './workspace.js';

/**
 * What a type takes, by how a value of it looks at run time. `structure`: an object with properties that it must have. Words and numbers
 * that a type lists are of no kind: a value of them is no accident.
 *
 * @typedef {'any' | 'string' | 'number' | 'bigint' | 'symbol' | 'boolean' | 'null' | 'function' | 'array' | 'object' | 'structure'} Kind
 *
 * @typedef {object} PublicParameter
 * @property {string} name
 * @property {boolean} isOptional Whether it may be left out or `undefined`.
 * @property {string} type As it is written.
 * @property {readonly Kind[]} kinds
 * @property {PublicOptions | undefined} options Where its type is one of options.
 *
 * @typedef {Readonly<Record<string, PublicOption>>} PublicOptions Options by name.
 *
 * @typedef {object} PublicOption
 * @property {boolean} isOptional
 * @property {readonly Kind[]} kinds
 * @property {PublicOptions | undefined} options Where its type is again one of options, or an object of nothing but plain values.
 * @property {PublicElement | undefined} element Where its type is an array.
 *
 * @typedef {Omit<PublicOption, 'isOptional'>} PublicElement What each element of an array is.
 *
 * @typedef {object} PublicFunction A function, a class to construct, or a method that takes options.
 * @property {string} name With its package in front: `core.Histogram.copy`.
 * @property {boolean} isAsync Whether it returns a promise.
 * @property {readonly PublicParameter[]} parameters
 */

/** Types that hold options, by name: `HdrLayoutOptions`, `HistoryQuestion`, `Pick<HistogramOptions, 'outOfRange'>`. */
const OPTIONS_TYPE =
  /(Options|Question|Limits|IntervalFormat|ExporterKeyRange|PrometheusSlo|Selection)\b(?!.*\[\]$)/;

/** @type {ReadonlySet<Kind>} */
const PLAIN = new Set(['string', 'number', 'bigint', 'boolean', 'null']);

/**
 * @param {any} type
 * @returns {boolean} Whether it holds options, whatever its name is: an object that may have properties and needs none.
 */
function areAllOptional(type) {
  const properties = type.getProperties();
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type.symbol?.flags ?? 0) & ts.SymbolFlags.Class) === 0 &&
    properties.length > 0 &&
    properties.every((/** @type {any} */ { flags }) => (flags & ts.SymbolFlags.Optional) !== 0)
  );
}

/**
 * What users call, by name, with the names of all options: the compiler resolves what the types of options extend, pick and leave out.
 *
 * @param {string} root
 * @returns {PublicFunction[]}
 */
function publicFunctions(root) {
  const { symbols, checker } = publicSymbols(root);

  /** @param {any} type @returns {Kind[]} */
  const kindsOf = (type) => {
    if (type.isUnion()) return [...new Set(type.types.flatMap(kindsOf))];
    const { TypeFlags } = ts;
    /** @type {[flags: number, kind: Kind][]} */
    const simple = [
      [TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter | TypeFlags.NonPrimitive, 'any'],
      [TypeFlags.String | TypeFlags.TemplateLiteral, 'string'],
      [TypeFlags.Number, 'number'],
      [TypeFlags.BigInt, 'bigint'],
      [TypeFlags.BooleanLike, 'boolean'],
      [TypeFlags.ESSymbolLike, 'symbol'],
      [TypeFlags.Null, 'null'],
    ];
    const found = simple.find(([flags]) => (type.flags & flags) !== 0);
    if (found !== undefined) return [found[1]];
    if ((type.flags & (TypeFlags.Object | TypeFlags.Intersection)) === 0) return [];
    if (type.getCallSignatures().length > 0) return ['function'];
    const names = type.getProperties().map((/** @type {any} */ { name }) => name);
    if (checker.isArrayLikeType(type) || type.symbol?.name === 'ArrayLike') return ['array'];
    if (names.some((/** @type {string} */ name) => name.startsWith('__@iterator')))
      return ['array', 'string'];
    const needs = type
      .getProperties()
      .some((/** @type {any} */ { flags }) => (flags & ts.SymbolFlags.Optional) === 0);
    return [needs ? 'structure' : 'object'];
  };

  /** @param {any} type @param {boolean} [hasElements] @returns {Record<string, PublicOption>} */
  const optionsOf = (type, hasElements = true) => {
    /** @type {Record<string, PublicOption>} */
    const options = {};
    for (const part of type.isUnion() ? type.types : [type]) {
      if (part.symbol !== undefined && (part.symbol.flags & ts.SymbolFlags.Class) !== 0) continue;
      for (const property of part.getProperties()) {
        const taken = checker.getTypeOfSymbol(property);
        options[property.name] = {
          isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
          ...describeValue(taken, hasElements),
        };
      }
    }
    return options;
  };

  /** Types whose options are being listed: one that has itself in it is listed once. @type {any[]} */
  const outer = [];

  /** @param {any} type @param {boolean} [hasElements] @returns {PublicElement} */
  const describeValue = (type, hasElements = true) => {
    const inner = checker.getNonNullableType(type);
    const isListed = !outer.includes(inner) && (areAllOptional(inner) || isOfPlainValues(inner));
    outer.push(inner);
    const options = isListed ? optionsOf(inner, hasElements) : undefined;
    outer.pop();
    return { kinds: kindsOf(type), options, element: hasElements ? describeElement(inner) : undefined };
  };

  /** @param {any} type @returns {PublicElement | undefined} Without the elements of arrays in it. */
  const describeElement = (type) => {
    if (type.isUnion() || kindsOf(type).join() !== 'array' || checker.isTupleType(type)) return undefined;
    const element = type.getNumberIndexType();
    if (element === undefined) return undefined;
    const isNamed = OPTIONS_TYPE.test(checker.typeToString(element));
    return { ...describeValue(element, false), ...(isNamed && { options: optionsOf(element, false) }) };
  };

  /** @param {any} type @returns {boolean} Whether users write it out, as a range: it has nothing but plain values that are readonly. */
  const isOfPlainValues = (type) =>
    kindsOf(type).join() === 'structure' &&
    (type.isUnion() ? type.types : [type]).every((/** @type {any} */ part) =>
      part.getProperties().every((/** @type {any} */ property) => {
        const declared = property.valueDeclaration;
        const flags = declared === undefined ? 0 : ts.getCombinedModifierFlags(declared);
        const kinds = kindsOf(checker.getTypeOfSymbol(property));
        return (flags & ts.ModifierFlags.Readonly) !== 0 && kinds.every((kind) => PLAIN.has(kind));
      }),
    );

  /** @param {any} parameter @returns {PublicParameter} */
  const parameterOf = (parameter) => {
    const node = parameter.valueDeclaration;
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
    const written = node.type?.getText() ?? checker.typeToString(type);
    const isOptions = OPTIONS_TYPE.test(written) || areAllOptional(type);
    return {
      name: parameter.name,
      isOptional:
        node.questionToken !== undefined ||
        node.initializer !== undefined ||
        checker
          .getTypeOfSymbol(parameter)
          .types?.some((/** @type {any} */ { flags }) => (flags & ts.TypeFlags.Undefined) !== 0) === true,
      type: written,
      kinds: kindsOf(checker.getTypeOfSymbol(parameter)),
      options: isOptions ? optionsOf(type) : undefined,
    };
  };

  /** @param {string} name @param {any} signature @returns {PublicFunction} */
  const functionOf = (name, signature) => ({
    name,
    isAsync: signature.getReturnType().symbol?.name === 'Promise',
    parameters: signature.getParameters().map(parameterOf),
  });

  /** @type {Map<string, PublicFunction>} */
  const functions = new Map();
  for (const { file, name, node } of symbols) {
    const full = `${file.split('/')[1]}.${name}`;
    const found = listSignatures(node, checker).map((signature) => functionOf(full, signature));
    for (const each of found) {
      const isMethod = ts.isMethodDeclaration(node) || ts.isMethodSignature(node);
      if (!isMethod || each.parameters.some(({ options }) => options !== undefined))
        functions.set(full, each);
    }
  }
  return [...functions.values()];
}

/**
 * @param {any} node
 * @param {any} checker
 * @returns {any[]} How a function, a constant function or a class is called; none for anything else.
 */
function listSignatures(node, checker) {
  if (ts.isClassDeclaration(node)) {
    if (ts.getModifiers(node)?.some((/** @type {any} */ { kind }) => kind === ts.SyntaxKind.AbstractKeyword))
      return [];
    const signatures = checker
      .getTypeOfSymbol(checker.getSymbolAtLocation(node.name))
      .getConstructSignatures();
    return signatures.filter(
      (/** @type {any} */ signature) =>
        !signature.getJsDocTags().some((/** @type {any} */ { name }) => name === 'internal'),
    );
  }
  if (ts.isVariableDeclaration(node)) return checker.getTypeAtLocation(node).getCallSignatures();
  const isFunction =
    ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node);
  return isFunction ? [checker.getSignatureFromDeclaration(node)] : [];
}

console.log(JSON.stringify(publicFunctions(workspaceRoot)));
