import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  ElicitResultSchema,
  ErrorCode,
  McpError,
  type ClientCapabilities,
  type ElicitResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { Answer, Ask } from '../../../tools/asking.ts'
import { requestedSchema } from '../ask.ts'
import type { Revision } from './revisions.ts'

type Extra = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, 'sendRequest' | 'signal'>

/** How long a person may think, in milliseconds. */
const patience = 5 * 60_000

/**
 * How people are asked in a session; null where the client did not say that it can. Revision 2025-06-18 knows forms
 * only, 2025-11-25 tells them from addresses, 2025-03-26 has no elicitation. Source: MCP, elicitation, capabilities.
 */
export function asker(revision: Revision, capabilities: ClientCapabilities | undefined, extra: Extra): Ask | null {
  const stated = capabilities?.elicitation
  if (!stated || revision === '2025-03-26') return null
  if (revision === '2025-11-25' && stated.form === undefined) return null
  return async (question) => {
    const mode = revision === '2025-11-25' ? { mode: 'form' as const } : {}
    const params = { ...mode, message: question.message, requestedSchema: requestedSchema(question, revision) }
    const request = { method: 'elicitation/create' as const, params }
    try {
      const options = { timeout: patience, signal: extra.signal }
      return answerOf(await extra.sendRequest(request, ElicitResultSchema, options))
    } catch (cause) {
      if (extra.signal.aborted || !(cause instanceof McpError)) throw cause
      return { action: cause.code === Number(ErrorCode.RequestTimeout) ? 'cancel' : 'unable' }
    }
  }
}

function answerOf({ action, content }: ElicitResult): Answer {
  return action === 'accept' ? { action, content: content ?? {} } : { action }
}
