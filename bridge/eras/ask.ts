import type { Question } from '../../tools/asking.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'

/**
 * The form of a question as a revision words it: titled choices are `oneOf` since 2025-11-25, `enumNames` before.
 * Source: MCP, elicitation, enums.
 */
export function requestedSchema({ members, required }: Question, revision: string) {
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, revision < '2025-11-25' ? untitled(schema) : schema]),
  )
  return { type: 'object' as const, properties: properties as Record<string, never>, required: [...required] }
}

function untitled({ oneOf, ...schema }: Schema): Schema {
  if (!Array.isArray(oneOf)) return schema
  const choices = oneOf.filter(isRecord)
  return { ...schema, enum: choices.map((one) => one['const']), enumNames: choices.map((one) => one['title']) }
}
