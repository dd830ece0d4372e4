import { InitError } from '../../../features/imports/index.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { importWords } from './words.ts'

/** Returns an expected error as a sentence for people, in English; null for any other error. */
export function toSentence(error: unknown): string | null {
  if (error instanceof InitError) return error.message
  if (!(error instanceof ProblemError)) return null
  const [first] = error.errors ?? []
  return first ? `${first.path} ${first.message}`.trim() : error.detail
}

interface Fault {
  code: string
  line?: number
  message: string
}

/** Says why a file was refused, in the words of the reader where there are some. */
export function describeFault({ code, line = 0, message }: Fault, language: ConsoleLanguage): Markup {
  const { codes, inLine } = importWords[language]
  const own = codes[code]
  return own === undefined ? html`<span lang="en">${message}</span>` : html`${line > 0 && `${inLine(line)} `}${own}`
}

/** Says what is wrong with a value, in the words of the reader where there are some. */
export const describeIssue = (
  { path, code, message }: { path: string; code: string; message: string },
  language: ConsoleLanguage,
): Markup =>
  html`${path !== '' && html`<code>${path}</code> `}${importWords[language].issues[code] ?? html`<span lang="en">${message}</span>`}`

/** Says what an expected error is about. @throws the error itself if it says nothing to people */
export function explainError(error: unknown, language: ConsoleLanguage): Markup {
  const message = toSentence(error)
  if (message === null) throw error
  const { code, line } = error as { code: string; line?: number }
  return describeFault({ code, message, ...(line !== undefined && { line }) }, language)
}
