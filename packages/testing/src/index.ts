export { BuiltPackages, buildPackages } from './built-packages.ts';
export { javaScriptOf } from './java-script.ts';
