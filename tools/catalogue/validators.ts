import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { DocumentError, type Schema } from '../openapi.ts'

export type Validator = (value: unknown) => readonly ErrorObject[]

/** The largest value of which all errors are collected, in characters of JSON. */
const maxSearchedLength = 64 * 1024

/**
 * Creates a compiler for the schemas of one document. Unknown formats have no effect. A validator stops at the first
 * error and collects all errors only of a small value: a large value may have millions, each an object of its own.
 * Source: JSON Schema 2020-12.
 */
export function createValidatorCompiler(): (name: string, schema: Schema) => Validator {
  const options = { strict: false, logger: false, addUsedSchema: false } as const
  const [ajv, thorough] = [new Ajv2020(options), new Ajv2020({ ...options, allErrors: true })]
  for (const one of [ajv, thorough]) formats.default(one)
  return (name, schema) => {
    try {
      const validate = ajv.compile(schema)
      // Invalid values are rare, so the validator that collects all errors is compiled for the first of them.
      let search: ValidateFunction | undefined
      return (value) => {
        if (validate(value)) return []
        const first = validate.errors ?? []
        if (JSON.stringify(value).length > maxSearchedLength) return first
        search ??= thorough.compile(schema)
        return search(value) ? first : (search.errors ?? first)
      }
    } catch (cause) {
      throw new DocumentError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
}
