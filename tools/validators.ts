import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { DocumentError, type Schema } from './openapi.ts'

export type Validator = (value: unknown) => readonly ErrorObject[]

/** Compiles the schemas of one document. Formats that are not known only annotate. Source: JSON Schema 2020-12. */
export function validatorCompiler(): (name: string, schema: Schema) => Validator {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, addUsedSchema: false })
  formats.default(ajv)
  return (name, schema) => {
    try {
      const validate = ajv.compile(schema)
      return (value) => (validate(value) ? [] : (validate.errors ?? []))
    } catch (cause) {
      throw new DocumentError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
}
