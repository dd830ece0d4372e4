import { answerRedirect, type Answer } from '../../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../../kernel/caller.ts'
import type { RequestDetails } from '../../../kernel/operation.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Work } from '../../../kernel/work.ts'
import type { Markup } from '../../site/html.ts'
import type { PageOptions } from '../../site/layout.ts'
import { renderConsolePage, signInPath } from '../console.ts'
import { addRefusals } from '../frame/forms.views.ts'
import { detectLanguage } from '../frame/frame.ts'
import { consoleWords, type ConsoleWords } from '../words/words.ts'
import { organizationWords, type OrganizationWords } from './words.ts'

/** A page for a person who is signed in, whether they act for an organization or not. */
export interface PersonalPage {
  member: MemberCaller
  work: Work
  language: ConsoleLanguage
  /** The words of the console, with those for what is refused here. */
  words: ConsoleWords
  phrases: OrganizationWords
  /** Path of the page. */
  here: string
}

interface PageInput {
  caller: Caller
  request: RequestDetails
  work: Work
}

/** Opens a page for a person, or answers the redirect to the sign-in. */
export function openPersonalPage({ caller, request, work }: PageInput, here: string): PersonalPage | Answer {
  if (caller.kind !== 'member') return answerRedirect(`${signInPath}?next=${encodeURIComponent(here)}`, undefined, 303)
  const language = detectLanguage(request)
  const phrases = organizationWords[language]
  const words = addRefusals(consoleWords[language], phrases.codes)
  return { member: caller, work, language, words, phrases, here }
}

/** Renders a page of a person. It is shown before documents are accepted, too. */
export const renderPersonal = (
  { member, work, language, here }: PersonalPage,
  options: PageOptions,
  content: Markup,
): Promise<Answer> =>
  renderConsolePage(
    work.context,
    member,
    { wide: false, ...options, lang: language, here, needsNoAcceptance: true },
    content,
  )
