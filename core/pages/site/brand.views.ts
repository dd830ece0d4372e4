import {
  chooseLanguage,
  findText,
  mayHideFooter,
  type TextName,
  type Theme,
} from '../../features/applications/index.ts'
import { languages, words, type Language } from '../../languages/index.ts'
import { getPrimaryLanguage, type ChosenText } from '../../kernel/text/localized.ts'
import type { LanguageList } from '../../kernel/text/languages.ts'
import type { Context } from '../../kernel/work.ts'
import { html, type Markup } from './html.ts'
import { renderLogo, type LooksOwner } from './looks.ts'
import type { PageReader } from './reader.ts'

/** Returns the languages in which an application offers its pages, its main one first. */
export const listOffered = ({ languages: offered = [] }: Theme): LanguageList<Language> =>
  offered.length > 0 ? (offered as readonly string[] as LanguageList<Language>) : languages

/** Returns the reader with a language that the application offers. */
export function offerLanguages<Reader extends PageReader>(reader: Reader, theme: Theme): Reader {
  return { ...reader, offered: listOffered(theme), language: chooseLanguage(theme, reader.language) }
}

/** Returns how the pages of an application are shown to a reader: in which language, and whether with our name. */
export async function dressReader<Reader extends PageReader>(
  { db, meters }: Context,
  reader: Reader,
  { organization, theme }: { organization: string; theme: Theme },
): Promise<Reader> {
  const hidesOurName = theme.hideFooter === true && (await mayHideFooter(db, meters.table, organization))
  return { ...offerLanguages(reader, theme), hidesOurName }
}

const languageNames = new Map(
  languages.map((language) => [language, new Intl.DisplayNames([language], { type: 'language' })]),
)

/** Returns the attributes that tell a browser and a screen reader the language of a text, where it is not the page's. */
export const renderLanguage = (tag: string | null, { language }: Pick<PageReader, 'language'>): Markup | false =>
  tag !== null && getPrimaryLanguage(tag) !== language && html` lang="${tag}" dir="auto"`

/** Renders a note that names the language of a text, where it is not the page's. */
export function renderLanguageNote(tag: string | null, { language }: Pick<PageReader, 'language'>): Markup | false {
  if (tag === null || getPrimaryLanguage(tag) === language) return false
  const name = languageNames.get(language)?.of(tag) ?? tag
  return html` <span class="tongue">${words[language].inLanguage(name)}</span>`
}

const renderChosen = ({ text, tag }: ChosenText, className: string, reader: PageReader): Markup =>
  html`<div class="${className}"><p class="lines"${renderLanguage(tag, reader)}>${text}</p>${renderLanguageNote(tag, reader)}</div>`

/**
 * Renders a text of the brand, in the reader's language or with a note in which it is; nothing if there is none.
 * @param className what it looks like
 */
export function renderText(theme: Theme, name: TextName, reader: PageReader, className = 'own'): Markup | false {
  const chosen = findText(theme, name, reader.language)
  return chosen !== null && renderChosen(chosen, className, reader)
}

/** Renders who shows a page: the logo, the heading and a line beneath it. */
export const renderOwner = (owner: LooksOwner, title: string, reader: PageReader): Markup =>
  html`<div class="owner">${renderLogo(owner)}<p>${title}</p>${renderText(owner.theme, 'tagline', reader, 'tagline')}</div>`

/** Renders how the brand can be reached; nothing if it does not say. */
export function renderHelp({ theme }: Pick<LooksOwner, 'theme'>, reader: PageReader): Markup | false {
  const help = renderText(theme, 'help', reader, 'help')
  return (
    help
    && html`<section class="helps" aria-labelledby="help"><h2 id="help">${words[reader.language].help}</h2>${help}</section>`
  )
}

/** Renders the end of a page: the text of the brand, and our name unless the plan leaves it out. */
export const renderFooter = ({ theme }: Pick<LooksOwner, 'theme'>, reader: PageReader): Markup | false => {
  const own = renderText(theme, 'footer', reader)
  return (own || !reader.hidesOurName) && html`${own}${!reader.hidesOurName && html`<p>Tessera</p>`}`
}
