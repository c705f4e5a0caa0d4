/** The version of this package. A release raises it together with that in package.json. */
export const VERSION = '0.1.0';
