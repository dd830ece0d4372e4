import type { FoundPassport, PassportSearch } from '../../../features/dpp/index.ts'
import type { Account } from '../../../features/loyalty/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress } from '../frame/lists.ts'
import { renderTable } from '../frame/lists.views.ts'
import { getAccountTitle } from '../loyalty/accounts.views.ts'
import { searchWords, type SearchWords } from './words.ts'

interface SearchView {
  text: string
  found: PassportSearch
  accounts: readonly Account[]
  /** What the member may read at all. */
  mayRead: { passports: boolean; accounts: boolean }
}

/** Renders what a search has found, and the ways to look further. */
export function renderSearch(page: ConsolePage, { text, found, accounts, mayRead }: SearchView): Markup {
  const phrases = searchWords[page.language]
  const isEmpty = found.passports.length + accounts.length === 0
  return html`<h1>${text === '' ? phrases.title : phrases.titleOf(text)}</h1>
<p class="quiet">${phrases.hint}</p>
${text !== '' && isEmpty && html`<p role="status">${phrases.nothing}</p>`}
${found.passports.length > 0 && renderPassports(found.passports, phrases)}
${accounts.length > 0 && renderAccounts(page, accounts, phrases)}
${
  text !== ''
  && html`<ul class="links">
${mayRead.passports && html`<li><a href="${formatAddress('/console/passports', { search: text })}">${phrases.allPassports}</a></li>`}
${mayRead.accounts && html`<li><a href="${formatAddress('/console/accounts', { search: text })}">${phrases.allAccounts}</a></li>`}
</ul>`
}`
}

const renderPassports = (passports: readonly FoundPassport[], phrases: SearchWords): Markup =>
  html`<section aria-labelledby="passports"><h2 id="passports">${phrases.passports}</h2>
${renderTable(
  phrases.passports,
  [
    {
      head: phrases.name,
      cell: ({ id, name }) => html`<a href="/console/passports/${id}">${name === '' ? id : name}</a>`,
    },
    { head: phrases.number, cell: ({ number }) => number },
    { head: phrases.reference, cell: ({ reference }) => reference },
    { head: phrases.status, cell: ({ status }) => phrases.statuses[status] ?? status },
  ],
  passports,
)}</section>`

const renderAccounts = ({ words }: ConsolePage, accounts: readonly Account[], phrases: SearchWords): Markup =>
  html`<section aria-labelledby="accounts"><h2 id="accounts">${phrases.accounts}</h2>
${renderTable(
  phrases.accounts,
  [
    {
      head: phrases.person,
      cell: (account) => html`<a href="/console/accounts/${account.id}">${getAccountTitle(account, words)}</a>`,
    },
    { head: phrases.application, cell: ({ application }) => application.name },
  ],
  accounts,
)}</section>`
