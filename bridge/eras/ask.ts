import type { Answer, Question } from '../../tools/asking.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'
import { declares } from '../../tools/requires.ts'
import type { Capabilities } from '../methods/call.ts'

/** How long a person may think, in seconds. */
export const patience = 5 * 60

/** Whether forms may be sent to a client. Source: MCP, elicitation, capabilities. */
export const takesForms = (capabilities: Capabilities) => declares(capabilities, { elicitation: { form: {} } })

/**
 * The parameters of `elicitation/create` as a revision words them; null where it has no words for the form. Modes and
 * titled choices (`oneOf`; `enumNames` before) and lists of choices came with 2025-11-25. Source: MCP, elicitation.
 */
export function formOf({ message, members, required }: Question, revision: string): Schema | null {
  const old = revision < '2025-11-25'
  if (old && Object.values(members).some(({ type }) => type === 'array')) return null
  const properties = old
    ? Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, untitled(schema)]))
    : members
  return { ...(old ? {} : { mode: 'form' }), message, requestedSchema: { type: 'object', properties, required } }
}

function untitled({ oneOf, ...schema }: Schema): Schema {
  if (!Array.isArray(oneOf)) return schema
  const choices = oneOf.filter(isRecord)
  return { ...schema, enum: choices.map((one) => one['const']), enumNames: choices.map((one) => one['title']) }
}

/** What a client says that a person answered; null where it is no such answer. Source: MCP, ElicitResult. */
export function answerOf(result: unknown): Answer | null {
  if (!isRecord(result)) return null
  const { action, content } = result
  if (action === 'decline' || action === 'cancel') return { action }
  if (action !== 'accept') return null
  if (content !== undefined && !isRecord(content)) return null
  return { action, content: content ?? {} }
}
