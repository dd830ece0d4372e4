import { randomUUID } from 'node:crypto'
import {
  createRepeatedQuestion,
  type ElicitationAnswer,
  type InputElicitor,
  type ElicitationQuestion,
} from '../../../tools/own/elicitation.ts'
import type { ClientCapabilities } from '../methods/method-call.ts'
import {
  parseElicitationAnswer,
  createElicitationParams,
  elicitationTimeoutSeconds,
  canShowForms,
} from '../elicitation.ts'
import type { ClientAnswer, ElicitationRequest, PendingElicitations } from './pending-elicitations.ts'
import type { Revision } from './revisions.ts'

/** How the bridge reaches the client during one call. */
export interface ClientChannel extends Pick<ElicitationRequest, 'send' | 'signal'> {
  readonly pendingElicitations: PendingElicitations
  /** The name of the session. */
  readonly session: string
}

/** How often a person is asked the same question when the answers do not fit. */
const maxAttempts = 3

/**
 * Creates the function that asks people in a session; null if the client did not declare forms. Revision 2025-03-26 has
 * no elicitation, 2025-06-18 has only forms, and 2025-11-25 has forms and addresses. Source: MCP, elicitation,
 * capabilities.
 */
export function createElicitor(
  revision: Revision,
  capabilities: ClientCapabilities,
  channel: ClientChannel,
): InputElicitor | null {
  if (revision === '2025-03-26' || !canShowForms(capabilities)) return null
  return async (question) => {
    let currentQuestion = question
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const answer = await elicitOnce(currentQuestion, revision, channel)
      if (answer.action !== 'accept') return answer
      const issues = question.validateContent(answer.content)
      if (issues.length === 0) return { ...answer, id: randomUUID() }
      currentQuestion = createRepeatedQuestion(question, issues)
    }
    return { action: 'unable' }
  }
}

/** Asks a question once. @throws the signal's reason */
async function elicitOnce(
  question: ElicitationQuestion,
  revision: Revision,
  channel: ClientChannel,
): Promise<ElicitationAnswer> {
  const params = createElicitationParams(question, revision)
  if (params === null) return { action: 'unable' }
  const { pendingElicitations, session, send, signal } = channel
  return toElicitationAnswer(
    await pendingElicitations.elicit(session, { send, params, signal, timeoutMs: elicitationTimeoutSeconds * 1000 }),
  )
}

/** Converts a client's answer. No answer in time counts as `cancel`; an error or an invalid answer as `unable`. */
function toElicitationAnswer(clientAnswer: ClientAnswer | null): ElicitationAnswer {
  if (clientAnswer === null) return { action: 'cancel' }
  return ('result' in clientAnswer ? parseElicitationAnswer(clientAnswer.result) : null) ?? { action: 'unable' }
}
