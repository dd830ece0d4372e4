import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { DocumentError, type Schema } from './openapi.ts'

export type Validator = (value: unknown) => readonly ErrorObject[]

/** A value is searched for everything that is wrong with it up to this size, in characters of JSON. */
const searched = 64 * 1024

/**
 * Compiles the schemas of one document. Formats that are not known only annotate. A validator ends at the first fault;
 * all of them are collected of a small value only, since a large one may have millions, each an object of its own.
 * Source: JSON Schema 2020-12.
 */
export function validatorCompiler(): (name: string, schema: Schema) => Validator {
  const options = { strict: false, logger: false, addUsedSchema: false } as const
  const [ajv, thorough] = [new Ajv2020(options), new Ajv2020({ ...options, allErrors: true })]
  for (const one of [ajv, thorough]) formats.default(one)
  return (name, schema) => {
    try {
      const validate = ajv.compile(schema)
      // Wrong values are rare: what collects their faults is compiled for the first of them.
      let search: ValidateFunction | undefined
      return (value) => {
        if (validate(value)) return []
        const first = validate.errors ?? []
        if (JSON.stringify(value).length > searched) return first
        search ??= thorough.compile(schema)
        return search(value) ? first : (search.errors ?? first)
      }
    } catch (cause) {
      throw new DocumentError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
}
