import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type {
  Account,
  LotDates,
  NextTier,
  TierChange,
  Statement,
  StatementEntry,
} from '../../../features/loyalty/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { getAccountTitle } from './accounts.views.ts'
import { renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import { formatAddress } from '../frame/lists.ts'
import {
  formatChange,
  formatCount,
  formatPoints,
  renderDay,
  renderInstant,
  renderOptions,
  renderTable,
  type TableColumn,
} from '../frame/lists.views.ts'
import type { ConsoleWords } from '../words/words.ts'

/** What the form that credits or takes points has in its fields. */
export interface PointsForm {
  change: 'mint' | 'burn'
  amount: string
  reason: string
  reference: string
}

/** What the form of an account's tier, visits and customer has in its fields. */
export interface ProfileForm {
  fixedRewardTier: string
  visits: string
  customerId: string
}

export interface AccountView {
  language: ConsoleLanguage
  words: ConsoleWords
  statement: Statement
  dates: LotDates
  nextTier: NextTier | null
  changes: readonly TierChange[]
  /** The tiers of the account's application. */
  tiers: readonly { id: string; name: string }[]
  /** The forms; null for a role that may not change accounts. */
  forms: { points: PointsForm; profile: ProfileForm; opened: 'points' | 'profile' | null } | null
  mayDelete: boolean
  problem: ProblemError | undefined
}

/** Returns what the members of the forms are called. */
const getLabels = ({ account, accounts }: ConsoleWords): Record<string, string> => ({
  amount: account.howMany,
  reason: account.reason,
  'loyalty.visits': accounts.visits,
  'loyalty.customerId': account.customer,
  'loyalty.fixedRewardTier': account.fixedTier,
})

/** Renders one account. */
export function renderAccount(account: Account, view: AccountView): Markup {
  const { words, forms } = view
  return html`<p><a href="/console/accounts">${words.accounts.all}</a></p>
<h1>${getAccountTitle(account, words)}</h1>
${renderRefusal(view.problem, words, getLabels(words))}
${renderFigures(account, view)}
${forms && renderPointsForm(account.id, forms.points, { words, isOpen: forms.opened === 'points' })}
${forms && renderProfileForm(account.id, forms.profile, view, forms.opened === 'profile')}
${renderStatement(account.id, view)}
${renderTierHistory(view)}
<h2>${words.account.about}</h2>
${renderFacts(account, words)}
${view.mayDelete && html`<p><a href="/console/accounts/${account.id}/delete">${words.account.delete}</a></p>`}`
}

const renderFigure = (name: string, value: string, ...hints: readonly (string | false | null)[]): Markup =>
  html`<div><dt>${name}</dt><dd>${value}${hints.map((hint) => hint !== false && hint !== null && html`<br><span class="quiet">${hint}</span>`)}</dd></div>`

function renderFigures({ loyalty, dpp }: Account, { language, words, dates, nextTier }: AccountView): Markup {
  const { optimisticBalance, settledBalance, pending, rewardTier, fixedRewardTier, visits } = loyalty
  const { account: phrases, accounts } = words
  const points = (amount: string) => formatPoints(amount, language)
  const last = dates.expiring.at(-1)
  const expiring = dates.expiring.reduce((sum, { amount }) => sum + amount, 0n)
  return html`<section class="card" aria-label="${accounts.points}"><dl class="figures">
${renderFigure(
  accounts.points,
  points(optimisticBalance),
  pending !== '0' && phrases.later(points(pending)),
  last !== undefined && phrases.expiring(points(String(expiring)), last.at.toISOString().slice(0, 10)),
)}
${renderFigure(phrases.final, points(settledBalance))}
${renderFigure(
  accounts.tier,
  rewardTier?.name ?? words.list.none,
  fixedRewardTier !== null && phrases.whateverVisits,
  fixedRewardTier === null && nextTier && phrases.toNext(nextTier.missing, nextTier.name),
)}
${renderFigure(accounts.visits, formatCount(visits, language))}
${renderFigure(accounts.passports, formatCount(dpp.passportCount, language))}
</dl></section>`
}

const renderPointsForm = (
  id: string,
  { change, amount, reason, reference }: PointsForm,
  { words: { account: phrases }, isOpen }: { words: ConsoleWords; isOpen: boolean },
): Markup =>
  html`<details${isOpen && html` open`}><summary>${phrases.creditOrTake}</summary>
<form class="card" method="post" action="/console/accounts/${id}/points">
<input type="hidden" name="reference" value="${reference}">
<fieldset><legend>${phrases.whatToDo}</legend>
<label class="option"><input type="radio" name="change" value="mint"${change === 'mint' && html` checked`}> ${phrases.credit}</label>
<label class="option"><input type="radio" name="change" value="burn"${change === 'burn' && html` checked`}> ${phrases.take}</label>
</fieldset>
<div class="pair"><p><label for="amount">${phrases.howMany}</label>
<input id="amount" name="amount" inputmode="numeric" pattern="[1-9][0-9]{0,17}" title="${phrases.wholeNumber}" maxlength="18" required value="${amount}"></p>
<p><label for="reason">${phrases.reason}</label>
<input id="reason" name="reason" maxlength="200" required value="${reason}" aria-describedby="reason-use"></p></div>
<p class="quiet" id="reason-use">${phrases.reasonUse}</p>
<button class="small" name="act" value="look">${phrases.book}</button>
</form></details>`

function renderProfileForm(id: string, form: ProfileForm, { words, tiers }: AccountView, isOpen: boolean): Markup {
  const { account: phrases, accounts, list } = words
  const options = renderOptions(
    [['', phrases.byVisits], ...tiers.map(({ id, name }) => [id, name] as const)],
    form.fixedRewardTier,
  )
  return html`<details${isOpen && html` open`}><summary>${phrases.changeProfile}</summary>
<form class="card" method="post" action="/console/accounts/${id}/profile">
<div class="pair">${renderSelect({ name: 'fixedRewardTier', label: phrases.fixedTier, hint: phrases.fixedTierUse }, options)}
${renderField({ name: 'visits', label: accounts.visits, value: form.visits, type: 'number', isRequired: true, hint: phrases.visitsUse })}
${renderField({ name: 'customerId', label: `${phrases.customer} (${list.optional})`, value: form.customerId, maxLength: 200, hint: phrases.customerUse })}</div>
<button class="small">${list.save}</button>
</form></details>`
}

const createEntryColumns = ({ language, words }: AccountView): TableColumn<StatementEntry>[] => {
  const { account: phrases, accounts, kinds } = words
  const statusNames: Readonly<Record<string, string>> = {
    pending: phrases.onItsWay,
    failed: phrases.failed,
    reversed: phrases.reversed,
  }
  const renderEntry = ({ kind, reason, status, occurredAt }: StatementEntry): Markup => {
    const note = statusNames[status ?? '']
    return html`${kinds[kind] ?? kind}${reason !== null && html`: ${reason}`}<br>
<span class="quiet">${renderDay(occurredAt.toISOString())}${note !== undefined && html`, ${note}`}</span>`
  }
  return [
    { head: phrases.what, cell: renderEntry },
    { head: accounts.points, cell: ({ points }) => formatChange(points, language), isNumber: true },
    { head: phrases.balance, cell: ({ balance }) => formatPoints(balance, language), isNumber: true },
  ]
}

/** Renders what an account got and gave since a day, so that the sums can be checked. */
function renderStatement(id: string, view: AccountView): Markup {
  const { since, opening, added, taken, closing, pending, count, entries } = view.statement
  const { language, words } = view
  const { account: phrases, list } = words
  const points = (amount: string) => formatPoints(amount, language)
  const day = since.toISOString().slice(0, 10)
  const address = `/console/accounts/${id}`
  return html`<div class="row head"><h2>${phrases.statement}</h2>
${count > 0 && html`<p><a href="${formatAddress(`${address}/statement.csv`, { since: day })}">${list.download}</a></p>`}</div>
<form class="narrow" method="get" action="${address}" aria-label="${phrases.statement}"><label for="since">${phrases.fromDay}</label>
<div class="search"><input id="since" name="since" type="date" value="${day}"><button>${list.show}</button></div></form>
<section class="card" aria-label="${phrases.sums}"><dl class="figures">
${renderFigure(phrases.on(day), points(opening))}
${renderFigure(phrases.added, `+${points(added)}`)}
${renderFigure(phrases.taken, `−${points(taken)}`)}
${renderFigure(phrases.now, points(closing), pending !== '0' && phrases.ofThemLater(points(pending)))}
</dl></section>
${count === 0 ? html`<p>${phrases.nothing}</p>` : renderTable(phrases.entries, createEntryColumns(view), entries)}
${count > entries.length && html`<p class="quiet">${phrases.newestOf(formatCount(entries.length, language), formatCount(count, language))}</p>`}`
}

function renderTierHistory({ changes, words }: AccountView): Markup | false {
  const { account: phrases, list } = words
  const getTierName = (tier: TierChange['from']) => (tier === null ? list.none : (tier.name ?? phrases.deletedTier))
  return (
    changes.length > 0
    && html`<h2>${phrases.tierHistory}</h2>
${renderTable(
  phrases.tierHistory,
  [
    { head: phrases.when, cell: ({ at }) => renderDay(at.toISOString()) },
    { head: phrases.from, cell: ({ from }) => getTierName(from) },
    { head: phrases.to, cell: ({ to }) => getTierName(to) },
    { head: phrases.why, cell: ({ reason }) => phrases.tierReasons[reason] ?? reason },
  ],
  changes,
)}`
  )
}

const renderFact = (name: string, value: Markup | string | null): Markup | false =>
  value !== null && html`<div><dt>${name}</dt><dd>${value}</dd></div>`

function renderFacts(account: Account, { account: phrases, list }: ConsoleWords): Markup {
  const { id, application, network, address, explorerUrl, user, loyalty, dpp, createdAt } = account
  const { apple, google } = loyalty.optIn
  const wallets = [apple && 'Apple Wallet', google && 'Google Wallet'].filter((name) => name !== false)
  const wallet = html`<code>${address}</code>`
  return html`<section class="card"><dl>
${renderFact(phrases.name, user.name)}
${renderFact(phrases.email, user.email)}
${renderFact(phrases.phone, user.phoneNumber)}
${renderFact(phrases.born, user.birthDate)}
${renderFact(phrases.language, user.preferredLocale)}
${renderFact(list.application, application.name)}
${renderFact(list.network, network)}
${renderFact(phrases.wallet, explorerUrl === undefined ? wallet : html`<a href="${explorerUrl}">${wallet}</a>`)}
${renderFact(phrases.customer, loyalty.customerId)}
${renderFact(phrases.optIn, wallets.length > 0 ? wallets.join(', ') : null)}
${renderFact(phrases.came, renderInstant(createdAt))}
${renderFact(phrases.lastClaim, dpp.lastActivityAt === null ? null : renderInstant(dpp.lastActivityAt))}
${renderFact(phrases.account, html`<code>${id}</code>`)}
</dl></section>`
}
