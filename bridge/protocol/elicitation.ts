import type { ElicitationAnswer, ElicitationQuestion } from '../../tools/own/elicitation.ts'
import { showInvisible, showInvisibleTexts } from '../../tools/arguments/show-invisible.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'
import { hasCapabilities } from '../../tools/own/required-capabilities.ts'
import type { ClientCapabilities } from './methods/method-call.ts'

/** How long a person may take to answer, in seconds. */
export const elicitationTimeoutSeconds = 5 * 60

/** Returns whether a client can show forms. Source: MCP, elicitation, capabilities. */
export const canShowForms = (capabilities: ClientCapabilities) =>
  hasCapabilities(capabilities, { elicitation: { form: {} } })

/**
 * Creates the parameters of `elicitation/create` for a revision; null if the revision cannot express the form. Modes,
 * titled choices (`oneOf`; before that, `enumNames`) and lists of choices came with 2025-11-25. Source: MCP,
 * elicitation.
 */
export function createElicitationParams(
  { message, members, required }: ElicitationQuestion,
  revision: string,
): Schema | null {
  const isLegacy = revision < '2025-11-25'
  if (isLegacy && Object.values(members).some(({ type }) => type === 'array')) return null
  const properties = isLegacy
    ? Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, toUntitledEnum(schema)]))
    : members
  return {
    ...(isLegacy ? {} : { mode: 'form' }),
    message: showInvisible(message, false),
    requestedSchema: showInvisibleTexts({ type: 'object', properties, required }),
  }
}

function toUntitledEnum({ oneOf, ...schema }: Schema): Schema {
  if (!Array.isArray(oneOf)) return schema
  const choices = oneOf.filter(isRecord)
  return { ...schema, enum: choices.map((one) => one['const']), enumNames: choices.map((one) => one['title']) }
}

/** Parses what a client says that a person answered; null if it is not a valid answer. Source: MCP, ElicitResult. */
export function parseElicitationAnswer(result: unknown): ElicitationAnswer | null {
  if (!isRecord(result)) return null
  const { action, content } = result
  if (action === 'decline' || action === 'cancel') return { action }
  if (action !== 'accept') return null
  if (content !== undefined && !isRecord(content)) return null
  return { action, content: content ?? {} }
}
