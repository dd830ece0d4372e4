import { languageNamed, languageNames, languageOf, languages, type Language } from '../kernel/languages.ts'
import type { Answer } from '../kernel/answer.ts'
import type { RequestFacts } from '../kernel/operation.ts'
import { optional, string } from '../kernel/schema.ts'
import { html, type Markup } from './html.ts'
import { page, type PageOptions } from './layout.ts'
import { words } from './words.ts'

/** How a page for everybody is shown: `asked` when its address names the language, which links to other pages keep. */
export interface Reader { language: Language; asked: boolean }

/** The query parameter, or the member of a form, that names the language. */
export const lang =
  optional(string('`en` or `fr`; any other word leaves the choice to Accept-Language.', { maxLength: 20 }))

export function readerOf({ headers }: Pick<RequestFacts, 'headers'>, named: string | undefined): Reader {
  const language = languageNamed(named)
  const liked = [headers['accept-language']].flat().join(',')
  return { language: language ?? languageOf(liked), asked: language !== undefined }
}

const withLanguage = (path: string, language: Language): string =>
  `${path}${path.includes('?') ? '&' : '?'}lang=${language}`

/** A path of ours, in the language that this one was asked for in. */
export const inLanguage = (path: string, { language, asked }: Reader): string =>
  asked ? withLanguage(path, language) : path

/** The same for a form: what it sends along. */
export const languageField = ({ language, asked }: Reader): Markup | false =>
  asked && html`<input type="hidden" name="lang" value="${language}">`

/** The ways to the same page in the other languages. @param here its path and query without the language */
export const languageSwitch = ({ language }: Reader, here: string): Markup => html`<nav class="languages" aria-label="${words[language].language}">
${languages.map((each) => each === language
    ? html`<span lang="${each}" aria-current="true">${languageNames[each]}</span> `
    : html`<a href="${withLanguage(here, each)}" lang="${each}" hreflang="${each}" rel="alternate">${languageNames[each]}</a> `)}</nav>`

/** A page for everybody in the reader's language. `here`: where it is without its language, when a link can lead there. */
export function publicPage(reader: Reader, options: PageOptions & { here?: string }, content: Markup): Answer {
  const { here, headers, ...rest } = options
  const { language } = reader
  return page({
    lang: language, skip: words[language].skip, ...(here !== undefined && { top: languageSwitch(reader, here) }), ...rest,
    headers: { 'Content-Language': language, Vary: 'Accept-Language', ...headers },
  }, content)
}
