import { isAnswer, answerRedirect, type Answer } from '../../../kernel/answer.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../../kernel/operation.ts'
import type { Permission } from '../../../kernel/permission.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import {
  consoleLanguages,
  findLanguage,
  negotiateLanguage,
  type ConsoleLanguage,
} from '../../../kernel/text/languages.ts'
import type { Work } from '../../../kernel/work.ts'
import type { Markup } from '../../site/html.ts'
import type { PageOptions } from '../../site/layout.ts'
import {
  assertPermission,
  getMemberOrRedirect,
  getNextPath,
  memberPageOptions,
  renderConsolePage,
  type ActiveMember,
} from '../console.ts'
import { consoleWords, type ConsoleWords } from '../words/words.ts'

const cookieName = 'tessera.language'
const yearSeconds = 31_536_000

/** A page of the console for a member, in their language. */
export interface ConsolePage {
  member: ActiveMember
  work: Work
  language: ConsoleLanguage
  words: ConsoleWords
  /** Path of the page. */
  here: string
}

interface PageInput {
  caller: Caller
  request: RequestDetails
  work: Work
}

/** Returns the language that the member chose, else what their browser prefers. */
export function detectLanguage({ headers }: Pick<RequestDetails, 'headers'>): ConsoleLanguage {
  const cookies = [headers['cookie']].flat().join('; ')
  const [, chosen] = new RegExp(`(?:^|; )${cookieName}=(\\w+)`).exec(cookies) ?? []
  return findLanguage(consoleLanguages, chosen) ?? negotiateLanguage(consoleLanguages, headers['accept-language'])
}

/**
 * Opens a page for a member who has the permission, or answers the redirect to what is missing.
 * @throws AUTH_INSUFFICIENT_PERMISSIONS
 */
export function openPage(
  { caller, request, work }: PageInput,
  here: string,
  permission: Permission,
): ConsolePage | Answer {
  const member = getMemberOrRedirect(caller, here)
  if (isAnswer(member)) return member
  assertPermission(member, permission)
  const language = detectLanguage(request)
  return { member, work, language, words: consoleWords[language], here }
}

/** Renders a page within the frame of the console, in the member's language. */
export const renderFramed = (
  { member, work, language, here }: ConsolePage,
  options: PageOptions,
  content: Markup,
): Promise<Answer> => renderConsolePage(work.context, member, { ...options, lang: language, here }, content)

/** Keeps the language of a member in their browser. */
const languageOperation = declareOperation({
  id: 'console_language_page_v1',
  method: 'POST',
  path: '/console/language',
  ...memberPageOptions,
  body: object({
    language: oneOf(consoleLanguages, 'The language of the pages.'),
    next: optional(string('The page to go to afterwards.', { maxLength: 300 })),
  }),
  document: { tag: 'Pages', summary: 'Choose the language of the console' },
}).withOutboundHandler(async ({ body }) => {
  const cookie = `${cookieName}=${body.language}; Path=/console; Max-Age=${yearSeconds}; HttpOnly; SameSite=Lax`
  return answerRedirect(getNextPath(body.next), { 'Set-Cookie': cookie }, 303)
})

export const languagePages: Operation[] = [languageOperation]
