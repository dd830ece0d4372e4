import { networkNames } from '../../../features/accounts/index.ts'
import type { PageResult } from '../../../kernel/page.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Account } from '../../../features/loyalty/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  formatPoints,
  renderApplicationOptions,
  renderDay,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
  type TableColumn,
} from '../frame/lists.views.ts'
import type { ConsoleWords } from '../words/words.ts'

export const accountOrders = ['newest', 'points', 'visits', 'passports', 'active'] as const

/** The fields of the list's form, as the address of the page has them. */
export interface AccountQuery {
  search?: string
  application?: string
  network?: string
  since?: string
  passports?: string
  order?: (typeof accountOrders)[number]
  cursor?: string
}

/** Returns what an account is called: its person's name or contact, otherwise the beginning of its wallet. */
export const getAccountTitle = ({ user, address }: Account, { accounts }: ConsoleWords): string =>
  user.name ?? user.email ?? user.phoneNumber ?? accounts.wallet(address.slice(0, 10))

const renderPerson = (account: Account, words: ConsoleWords): Markup => {
  const { name, email, phoneNumber } = account.user
  const contact = email ?? phoneNumber
  return html`<a href="/console/accounts/${account.id}">${getAccountTitle(account, words)}</a>${name !== null && contact !== null && html`<br><span class="quiet">${contact}</span>`}`
}

const createColumns = (language: ConsoleLanguage, words: ConsoleWords): TableColumn<Account>[] => {
  const { person, points, tier, visits, passports, came } = words.accounts
  return [
    { head: person, cell: (account) => renderPerson(account, words) },
    { head: points, cell: ({ loyalty }) => formatPoints(loyalty.optimisticBalance, language), isNumber: true },
    { head: tier, cell: ({ loyalty }) => loyalty.rewardTier?.name ?? '' },
    { head: visits, cell: ({ loyalty }) => formatCount(loyalty.visits, language), isNumber: true },
    { head: passports, cell: ({ dpp }) => formatCount(dpp.passportCount, language), isNumber: true },
    { head: words.list.application, cell: ({ application }) => application.name },
    { head: came, cell: ({ createdAt }) => renderDay(createdAt) },
  ]
}

interface ListView {
  query: AccountQuery
  applications: readonly ApplicationChoice[]
  language: ConsoleLanguage
  words: ConsoleWords
}

/** Renders the list of accounts with its search and filters. */
export function renderAccountList(found: PageResult<Account>, view: ListView): Markup {
  const { words, language } = view
  const { cursor, ...filters } = view.query
  const getAddress = (path: string, more: Record<string, string> = {}) => formatAddress(path, { ...filters, ...more })
  const { search, application, network, since, passports } = filters
  const isFiltered = [search, application, network, since, passports].some(isGiven)
  const next = found.nextCursor === null ? null : getAddress('/console/accounts', { cursor: found.nextCursor })
  return html`<h1>${words.accounts.title}</h1>
${renderFilters(filters, view)}
${
  found.data.length === 0
    ? renderEmpty(isFiltered, words)
    : html`${renderListHead(renderTotal(found, words), getAddress('/console/accounts.csv'), words)}
${renderTable(words.accounts.title, createColumns(language, words), found.data)}
${renderPager(getAddress('/console/accounts'), next, { isFirst: !isGiven(cursor), words })}`
}`
}

const renderTotal = ({ total, totalIsEstimate }: PageResult<Account>, words: ConsoleWords): string =>
  totalIsEstimate ? words.list.about(words.accounts.count(total)) : words.accounts.count(total)

const renderEmpty = (isFiltered: boolean, words: ConsoleWords): Markup => {
  const { nobody, seeAll, emptyHead, emptyText, emptyLink, emptyEnd } = words.accounts
  return isFiltered
    ? html`<p role="status">${nobody} <a href="/console/accounts">${seeAll}</a></p>`
    : renderWhatNext(words, emptyHead, html`${emptyText} <a href="/console/assignments">${emptyLink}</a>, ${emptyEnd}`)
}

const renderFilters = (query: AccountQuery, { applications, words }: ListView): Markup => {
  const { application = '', network = '', since = '', passports = '', order = 'newest' } = query
  const isOpen = [application, network, since, passports].some(isGiven) || order !== 'newest'
  const { list, accounts } = words
  return html`<form class="card" method="get" action="/console/accounts" role="search" aria-label="${accounts.title}">
<label for="search">${accounts.searchLabel}</label>
<div class="search"><input id="search" name="search" type="search" maxlength="200" value="${query.search ?? ''}">
<button>${list.search}</button></div>
<details class="more"${isOpen && html` open`}><summary>${list.filters}</summary>
<div class="filters">
<p><label for="application">${list.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, application, [['', list.all]])}</select></p>
<p><label for="network">${list.network}</label>
<select id="network" name="network">${renderOptions([['', list.all], ...networkNames.map((name) => [name, name] as const)], network)}</select></p>
<p><label for="since">${accounts.since}</label>
<input id="since" name="since" type="date" value="${since}"></p>
<p><label for="passports">${accounts.passportsMin}</label>
<input id="passports" name="passports" type="number" min="0" max="999999" inputmode="numeric" value="${passports}"></p>
<p><label for="order">${list.order}</label>
<select id="order" name="order">${renderOptions(
    accountOrders.map((one) => [one, accounts.orders[one]] as const),
    order,
  )}</select></p>
</div></details>
</form>`
}
