declare module 'pg/lib/utils.js' {
  /** Converts a value to what the driver sends for a parameter. @throws Error for an object with a circular reference */
  export function prepareValue(value: unknown): unknown
}
