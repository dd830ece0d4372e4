import { orderKinds, type LoyaltyOrder } from '../../../../features/loyalty/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderSelect } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import {
  formatChange,
  formatCount,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
} from '../../frame/lists.views.ts'
import { orderWords } from './words.ts'

export const ordersPath = '/console/orders'

interface OrderListView {
  orders: readonly LoyaltyOrder[]
  total: number
  /** The kind that is shown; empty for all. */
  kind: string
  first: string
  file: string
  next: string | null
  isFirst: boolean
}

/** Renders the list of orders, and the choice of a kind above it. */
export function renderOrders({ words, language }: ConsolePage, view: OrderListView): Markup {
  const phrases = orderWords[language]
  const columns = [
    { head: phrases.when, cell: ({ createdAt }: LoyaltyOrder) => renderInstant(createdAt) },
    {
      head: phrases.account,
      // The beginning of an id is the time when it was made, which many accounts share; its end is their own.
      cell: ({ account }: LoyaltyOrder) =>
        html`<a href="/console/accounts/${account}">${phrases.account} …${account.slice(-8)}</a>`,
    },
    { head: phrases.kind, cell: ({ kind }: LoyaltyOrder) => words.kinds[kind] ?? kind },
    {
      head: phrases.points,
      cell: ({ points }: LoyaltyOrder) => formatChange(points, language),
      isNumber: true as const,
    },
    {
      head: phrases.amount,
      cell: ({ amount, currency = '' }: LoyaltyOrder) => (amount === undefined ? '' : `${amount} ${currency}`),
      isNumber: true as const,
    },
    { head: phrases.reference, cell: ({ reference }: LoyaltyOrder) => reference },
    { head: phrases.status, cell: ({ status }: LoyaltyOrder) => phrases.statuses[status] },
  ]
  const isNothingThere = view.total === 0 && view.kind === ''
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${
  isNothingThere
    ? renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`<form class="card" method="get" action="${ordersPath}">
${renderSelect({ name: 'kind', label: phrases.kind }, renderOptions([['', phrases.every], ...orderKinds.map((kind) => [kind, words.kinds[kind] ?? kind] as const)], view.kind))}
<button class="small">${phrases.filter}</button></form>
${renderListHead(phrases.count(formatCount(view.total, language)), view.file, words)}
${view.orders.length === 0 ? html`<p>${phrases.nothing}</p>` : renderTable(phrases.title, columns, view.orders)}
${renderPager(view.first, view.next, { isFirst: view.isFirst, words })}`
}`
}
