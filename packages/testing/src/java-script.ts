import { transformFileSync } from '@swc/core';

/** A module in TypeScript as JavaScript, whose relative imports are those of its neighbours built likewise. */
export function javaScriptOf(file: string): string {
  const { code } = transformFileSync(file, {
    swcrc: false,
    configFile: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript' },
      transform: { verbatimModuleSyntax: true },
    },
    module: { type: 'es6' },
  });
  return code.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
}
