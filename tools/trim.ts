import { define } from './define.ts'
import { isRecord, type Schema } from './openapi.ts'
import { mapSubschemas } from './subschemas.ts'
import { unite } from './unite.ts'

/**
 * An input schema as it is shown: it takes exactly what the given one takes, in fewer words. Examples go, and titles of
 * parts, and patterns that say nothing; alternatives of different types become one schema; what recurs goes to `$defs`.
 */
export function trim(schema: Schema): Schema {
  return define(trimmed(schema))
}

function trimmed(schema: Schema): Schema {
  return unite(withoutNoise(mapSubschemas(schema, '#', trimmed)))
}

function withoutNoise(schema: Schema): Schema {
  const { examples: _, title, patternProperties, ...rest } = schema
  return {
    // The name of a choice is what people know it by.
    ...('const' in schema && title !== undefined ? { title } : {}),
    ...rest,
    ...(patternProperties === undefined || allowsAll(schema) ? {} : { patternProperties }),
  }
}

/** Every name may have any value, with the pattern or without. */
const allowsAll = ({ patternProperties, additionalProperties, unevaluatedProperties }: Schema) =>
  isRecord(patternProperties)
  && unevaluatedProperties === undefined
  && (additionalProperties === undefined || additionalProperties === true)
  && Object.values(patternProperties).every((inner) => inner === true || JSON.stringify(inner) === '{}')

/** A description that does not begin with the title, which stands beside it. */
export function withoutTitle(title: string, description: string): string {
  const rest = description.startsWith(`${title}. `) ? description.slice(title.length + 2) : ''
  return rest.trim() === '' ? description : rest
}
