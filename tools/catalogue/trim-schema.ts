import { extractDefinitions } from './definitions.ts'
import { isRecord, type Schema } from '../openapi.ts'
import { mapSubschemas } from './subschemas.ts'
import { uniteAlternatives } from './unite-alternatives.ts'

/**
 * Shortens an input schema without changing which values are valid. It removes examples, titles of parts and patterns
 * without effect; it unites alternatives of different types, and moves recurring parts to `$defs`.
 */
export function trimSchema(schema: Schema): Schema {
  return extractDefinitions(trimParts(schema))
}

function trimParts(schema: Schema): Schema {
  return uniteAlternatives(removeNoise(mapSubschemas(schema, '#', trimParts)))
}

function removeNoise(schema: Schema): Schema {
  const { examples: _, title, patternProperties, ...rest } = schema
  return {
    // People know a choice by its title.
    ...('const' in schema && title !== undefined ? { title } : {}),
    ...rest,
    ...(patternProperties === undefined || allowsEveryName(schema) ? {} : { patternProperties }),
  }
}

/** Returns whether the patterns have no effect, because every name may have any value. */
const allowsEveryName = ({ patternProperties, additionalProperties, unevaluatedProperties }: Schema) =>
  isRecord(patternProperties)
  && unevaluatedProperties === undefined
  && (additionalProperties === undefined || additionalProperties === true)
  && Object.values(patternProperties).every((inner) => inner === true || JSON.stringify(inner) === '{}')

/** Removes the title from the beginning of a description that is shown next to it. */
export function removeTitle(title: string, description: string): string {
  const rest = description.startsWith(`${title}. `) ? description.slice(title.length + 2) : ''
  return rest.trim() === '' ? description : rest
}
