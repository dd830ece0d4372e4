import type { TextAnswer } from '../../kernel/answer.ts'
import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import type { FailedRequest, PageAudience, ProblemPages, ShownProblem } from '../../kernel/ports/problem-pages.ts'
import { words, type Language, type MistakeWords } from '../../languages/index.ts'
import { detectLanguage } from '../console/frame/frame.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'
import { detectReader, renderPublicPage } from '../site/reader.ts'

/** Addresses that a code on a product leads to. */
const productPath = /^\/(p|01|8006|8010|8013)(\/|$)/
const statusesOfAddress: readonly number[] = [400, 404]
/** Statuses after which the same request may succeed. */
const passingStatuses: readonly number[] = [408, 429, 500, 502, 503, 504]
/** A path of ours. Two slashes would lead to another host. */
const ownPath = /^\/(?![/\\])/

/** Finds the words for a status; one without words of its own is explained as 400 or 500. */
function findWords(status: number, path: string, language: Language): MistakeWords {
  const { pages, product } = words[language].problems
  if (statusesOfAddress.includes(status) && productPath.test(path)) return product
  const known: Readonly<Record<number, MistakeWords>> = pages
  return known[status] ?? pages[status < 500 ? 400 : 500]
}

/** Chooses where a reader goes from here: once more to the same page where that may help, otherwise to where they were. */
function chooseWay({ status }: ShownProblem, { method, path, search }: FailedRequest, language: Language): Markup {
  const { ways } = words[language].problems
  if (passingStatuses.includes(status) && method === 'GET' && ownPath.test(path))
    return html`<a class="button" href="${path}${search}">${ways.again}</a>`
  if (/^\/console(\/|$)/.test(path)) return html`<a class="button" href="/console">${ways.console}</a>`
  if (/^\/(docs|v1)(\/|$)/.test(path)) return html`<a class="button" href="/docs">${ways.reference}</a>`
  return html`<a class="button" href="/">${ways.start}</a>`
}

/**
 * Renders a problem as a page that says in plain words what is wrong and leads on. On a public page everything is in the
 * reader's language. Members also see the problem's own detail, which is in English.
 */
function renderProblem(problem: ShownProblem, request: FailedRequest, audience: PageAudience): TextAnswer {
  const { status, headers, body } = problem
  const { method, path, search } = request
  const named = new URLSearchParams(search)
  const reader =
    audience === 'public'
      ? detectReader(request, named.get('lang') ?? undefined)
      : { language: detectLanguage(request), isLanguageNamed: false }
  const { language } = reader
  const { heading, message } = findWords(status, path, language)
  const hasDetail = audience === 'member' && status < 500 && status !== 404
  named.delete('lang')
  const here = `${path}${named.size > 0 ? `?${named.toString()}` : ''}`
  return renderPublicPage(
    reader,
    {
      title: heading,
      status,
      headers,
      ...(audience === 'public' && method === 'GET' && ownPath.test(path) && { here }),
    },
    html`<h1>${heading}</h1>
<p>${message}</p>
${hasDetail && html`<p lang="en">${body.detail}</p>`}
<p>${chooseWay(problem, request, language)}</p>
<p class="quiet">${words[language].problems.request} ${body.requestId}</p>`,
  )
}

/** Renders what a code of problems means. Source: RFC 9457, section 3.1.1. */
function renderProblemType(code: string): TextAnswer | null {
  if (!Object.hasOwn(problemCodes, code)) return null
  const { status, title, meaning } = problemCodes[code as ProblemCode]
  return renderPage(
    { title },
    html`<h1>${title}</h1>
<p>${meaning}</p>
<p class="quiet">Code <code>${code}</code>, status ${status}.</p>
<p><a href="/docs">${words.en.problems.ways.reference}</a></p>`,
  )
}

/** The pages for what goes wrong. */
export const problemPages: ProblemPages = { renderProblem, renderProblemType }
