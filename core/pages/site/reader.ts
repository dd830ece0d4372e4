import { languages, words, type Language } from '../../languages/index.ts'
import type { TextAnswer } from '../../kernel/answer.ts'
import type { RequestDetails } from '../../kernel/operation.ts'
import { optional, string } from '../../kernel/schema.ts'
import { findLanguage, negotiateLanguage, type LanguageList } from '../../kernel/text/languages.ts'
import { html, type Markup } from './html.ts'
import { renderPage, type PageOptions } from './layout.ts'

/** How a public page is shown. `isLanguageNamed`: the address names the language, and links to other pages keep it. */
export interface PageReader {
  language: Language
  isLanguageNamed: boolean
  /** Elements of the head that give a preview its colours, in place of what is stored of the application. */
  looks?: Markup
  /** The languages that the application offers; without it all. */
  offered?: LanguageList<Language>
  /** Whether the plan of the application lets the end of its pages leave out our name. */
  hidesOurName?: boolean
}

/** The query parameter, or the member of a form, that names the language. */
export const languageParameter = optional(
  string(`${languages.map((each) => `\`${each}\``).join(', ')}; any other word leaves the choice to Accept-Language.`, {
    maxLength: 20,
  }),
)

export function detectReader({ headers }: Pick<RequestDetails, 'headers'>, named: string | undefined): PageReader {
  const language = findLanguage(languages, named)
  return {
    language: language ?? negotiateLanguage(languages, headers['accept-language']),
    isLanguageNamed: language !== undefined,
  }
}

const addLanguage = (path: string, language: Language): string =>
  `${path}${path.includes('?') ? '&' : '?'}lang=${language}`

/** Returns a path of ours with the language, if the address of the current page names one. */
export const keepLanguage = (path: string, { language, isLanguageNamed }: PageReader): string =>
  isLanguageNamed ? addLanguage(path, language) : path

/** Renders the form field that keeps the language, if the address of the current page names one. */
export const renderLanguageField = ({ language, isLanguageNamed }: PageReader): Markup | false =>
  isLanguageNamed && html`<input type="hidden" name="lang" value="${language}">`

/** Renders links to the same page in the other languages. @param here the page's path and query without the language */
export const renderLanguageSwitch = ({ language, offered = languages }: PageReader, here: string): Markup | false =>
  offered.length > 1
  && html`<nav class="languages" aria-label="${words[language].language}">
${offered.map((each) =>
  each === language
    ? html`<span lang="${each}" aria-current="true">${words[each].name}</span> `
    : html`<a href="${addLanguage(here, each)}" lang="${each}" hreflang="${each}" rel="alternate">${words[each].name}</a> `,
)}</nav>`

/**
 * Renders a public page in the reader's language. `here`: its address without the language, if a link can lead to it.
 */
export function renderPublicPage(
  reader: PageReader,
  options: PageOptions & { here?: string },
  content: Markup,
): TextAnswer {
  const { here, headers, ...rest } = options
  const { language } = reader
  return renderPage(
    {
      lang: language,
      skip: words[language].skip,
      ...(here !== undefined && { top: html`${renderLanguageSwitch(reader, here)}` }),
      ...rest,
      headers: { 'Content-Language': language, Vary: 'Accept-Language', ...headers },
    },
    content,
  )
}
