/** A program that cannot be followed. */
export class NotMeasured extends Error {}
