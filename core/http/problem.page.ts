import type { Context as KoaContext } from 'koa'
import { codes, type Code } from '../kernel/codes.ts'
import { languageNamed, languageOf, type Language } from '../kernel/languages.ts'
import { problemWords, requestWord } from './problem.words.ts'
import type { Written } from './problems.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

const sheet = (title: string, content: string, language: Language = 'en') =>
  `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>${escaped(title)}</title><link rel="stylesheet" href="/assets/tessera.css"><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`

/**
 * A problem as a page for people: in the reader's language on pages for everybody, in English on those for members.
 * @param page what the operation is
 */
export function writeProblemPage(ctx: KoaContext, { status, headers, body }: Written, page: true | 'member'): void {
  const language = page === true ? languageFor(ctx) : 'en'
  const said = problemWords(status, language)
  ctx.status = status
  ctx.set({
    ...headers,
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Content-Language': language,
  })
  ctx.vary('Accept-Language')
  const detail = said?.told ?? `${said ? '<span lang="en">' : ''}${escaped(body['detail'])}${said ? '</span>' : ''}`
  ctx.body = sheet(
    said?.head ?? String(body['title']),
    `<p>${detail}</p><p class="quiet">${requestWord[language]} ${escaped(body['requestId'])}</p>`,
    language,
  )
  ctx.type = 'text/html; charset=utf-8'
}

/** The language that the address names, else the one that the reader likes best. */
function languageFor(ctx: KoaContext): Language {
  const named = new URLSearchParams(ctx.querystring).get('lang') ?? undefined
  return languageNamed(named) ?? languageOf(ctx.get('accept-language'))
}

/** The short page behind a problem's `type`, or null for a code that is none. */
export function problemPage(code: string): string | null {
  if (!Object.hasOwn(codes, code)) return null
  const { status, title, meaning } = codes[code as Code]
  return sheet(title, `<p>${meaning}</p><p class="quiet">Code <code>${code}</code>, status ${status}.</p>`)
}
