import { askedAgain, type Answer, type Ask, type Question } from '../../../tools/asking.ts'
import type { Capabilities } from '../../methods/call.ts'
import { answerOf, formOf, patience, takesForms } from '../ask.ts'
import type { Answered, Asking, Questions } from './questions.ts'
import type { Revision } from './revisions.ts'

/** How the bridge reaches the client of one call. */
export interface Reach extends Pick<Asking, 'send' | 'signal'> {
  readonly questions: Questions
  /** Name of the session. */
  readonly session: string
}

/** How often a person is asked the same when the answers do not fit. */
const mostAttempts = 3

/**
 * How people are asked in a session; null where the client did not say that it can. Revision 2025-06-18 knows forms
 * only, 2025-11-25 tells them from addresses, 2025-03-26 has no elicitation. Source: MCP, elicitation, capabilities.
 */
export function asker(revision: Revision, capabilities: Capabilities, reach: Reach): Ask | null {
  if (revision === '2025-03-26' || !takesForms(capabilities)) return null
  return async (question) => {
    let asked = question
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const answer = await askOnce(asked, revision, reach)
      if (answer.action !== 'accept') return answer
      const wrong = question.judge(answer.content)
      if (wrong.length === 0) return answer
      asked = askedAgain(question, wrong)
    }
    return { action: 'unable' }
  }
}

/** Throws the signal's reason. */
async function askOnce(question: Question, revision: Revision, reach: Reach): Promise<Answer> {
  const params = formOf(question, revision)
  if (params === null) return { action: 'unable' }
  const { questions, session, send, signal } = reach
  return meant(await questions.ask(session, { send, params, signal, patience: patience * 1000 }))
}

/** Nobody answered in time: as if it was cancelled. An error, or what is no answer: the client could not ask. */
function meant(answered: Answered | null): Answer {
  if (answered === null) return { action: 'cancel' }
  return ('result' in answered ? answerOf(answered.result) : null) ?? { action: 'unable' }
}
