import type { Context as KoaContext } from 'koa'
import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import { findLanguage, negotiateLanguage } from '../../kernel/text/languages.ts'
import { languages, words, type Language } from '../../languages/index.ts'
import { findProblemWords } from './problem.words.ts'
import type { ProblemAnswer } from './problems.ts'

const htmlEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => htmlEscapes[sign] ?? sign)

const renderPage = (title: string, content: string, language: Language = 'en') =>
  `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`
  + `<title>${escapeHtml(title)}</title><link rel="stylesheet" href="/assets/tessera.css"><body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`

/**
 * Writes a problem as an HTML page: in the reader's language on public pages, in English on pages for members.
 * @param page the `page` of the operation's declaration
 */
export function writeProblemPage(
  ctx: KoaContext,
  { status, headers, body }: ProblemAnswer,
  page: true | 'member',
): void {
  const language = page === true ? getRequestLanguage(ctx) : 'en'
  const own = findProblemWords(status, language)
  ctx.status = status
  ctx.set({
    ...headers,
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Content-Language': language,
  })
  ctx.vary('Accept-Language')
  ctx.body = renderPage(
    own?.heading ?? String(body['title']),
    `<p>${escapeHtml(own?.message ?? body['detail'])}</p><p class="quiet">${words[language].problems.request} ${escapeHtml(body['requestId'])}</p>`,
    language,
  )
  ctx.type = 'text/html; charset=utf-8'
}

/** Returns the language that the address names, or else the one that the browser prefers. */
function getRequestLanguage(ctx: KoaContext): Language {
  const named = new URLSearchParams(ctx.querystring).get('lang') ?? undefined
  return findLanguage(languages, named) ?? negotiateLanguage(languages, ctx.get('accept-language'))
}

/** Renders the short page for the `type` address of a problem, or returns null for an unknown code. */
export function renderProblemPage(code: string): string | null {
  if (!Object.hasOwn(problemCodes, code)) return null
  const { status, title, meaning } = problemCodes[code as ProblemCode]
  return renderPage(title, `<p>${meaning}</p><p class="quiet">Code <code>${code}</code>, status ${status}.</p>`)
}
