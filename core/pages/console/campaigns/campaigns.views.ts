import type { Campaign } from '../../../features/loyalty/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderCards,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderWhatNext,
  type ApplicationChoice,
} from '../frame/lists.views.ts'
import { getWalletsAddress } from '../branding/wallets/paths.ts'
import type { ApplicationWallets } from './applications.ts'
import { campaignsPath, getCampaignAddress } from './paths.ts'
import { campaignWords, type CampaignWords } from './words/words.ts'

/** The filters of the list, as its address has them. */
export interface CampaignQuery {
  application?: string
  status?: string
}

interface CampaignListView {
  campaigns: readonly Campaign[]
  total: number
  query: CampaignQuery
  states: readonly Campaign['status'][]
  applications: readonly ApplicationChoice[]
  /** Whether the application that is shown is connected to a wallet; null if several are shown. */
  wallets: ApplicationWallets | null
  mayCreate: boolean
  first: string
  file: string
  next: string | null
  isFirst: boolean
}

/** Renders the list of campaigns, the newest first. */
export function renderCampaigns(page: ConsolePage, view: CampaignListView): Markup {
  const phrases = campaignWords[page.language]
  const { applications, query, total, mayCreate, wallets } = view
  const isNothingThere = total === 0 && !query.application && !query.status
  const address = `${campaignsPath}/new${query.application ? `?application=${query.application}` : ''}`
  return html`<div class="row"><h1>${phrases.title}</h1>${mayCreate && applications.length > 0 && html`<p><a class="button small" href="${address}">${phrases.add}</a></p>`}</div>
<p>${phrases.intro}</p>
${wallets && renderWalletHint(page, wallets)}
${isNothingThere ? renderEmpty(page, view) : renderFound(page, view)}`
}

function renderEmpty({ words, language }: ConsolePage, { applications, mayCreate }: CampaignListView): Markup {
  const phrases = campaignWords[language]
  if (applications.length === 0)
    return renderWhatNext(
      words,
      phrases.emptyHead,
      html`${phrases.emptyApplication} <a href="/console/applications/new">${phrases.application}</a>`,
    )
  return renderWhatNext(
    words,
    phrases.emptyHead,
    mayCreate ? html`${phrases.emptyText} <a href="${campaignsPath}/new">${phrases.add}</a>` : phrases.emptyRole,
  )
}

function renderFound(page: ConsolePage, view: CampaignListView): Markup {
  const { words } = page
  const phrases = campaignWords[page.language]
  return html`${renderFilters(page, view)}
${
  view.campaigns.length === 0
    ? html`<p role="status">${phrases.nothing} <a href="${campaignsPath}">${phrases.seeAll}</a></p>`
    : html`${renderListHead(phrases.count(view.total), view.file, words)}
${renderCards(phrases.title, createColumns(page, view), view.campaigns)}
${renderPager(view.first, view.next, { isFirst: view.isFirst, words })}`
}`
}

function renderFilters({ words, language }: ConsolePage, { query, applications, states }: CampaignListView): Markup {
  const phrases = campaignWords[language]
  const chosen = query.application ?? ''
  return html`<form class="card" method="get" action="${campaignsPath}" aria-label="${words.list.filters}"><div class="pair">
${applications.length > 1 && renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(applications, chosen, [['', words.list.all]]))}
${renderSelect({ name: 'status', label: phrases.status }, renderOptions([['', phrases.everyState], ...states.map((state) => [state, phrases.states[state]] as const)], query.status ?? ''))}</div>
<p><button class="small">${words.list.show}</button></p></form>`
}

function createColumns({ language, words }: ConsolePage, { applications }: CampaignListView) {
  const phrases = campaignWords[language]
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return [
    {
      head: phrases.name,
      cell: ({ id, name }: Campaign) => html`<a href="${getCampaignAddress(id)}">${name}</a>`,
    },
    { head: phrases.status, cell: ({ status }: Campaign) => renderState(status, phrases) },
    ...(applications.length > 1
      ? [{ head: words.list.application, cell: ({ application }: Campaign) => names.get(application) ?? '' }]
      : []),
    {
      head: phrases.wallets,
      cell: ({ channels }: Campaign) => channels.map((channel) => phrases.channels[channel]).join(', '),
    },
    {
      head: phrases.customers,
      cell: ({ audienceSize }: Campaign) => audienceSize !== null && formatCount(audienceSize, language),
      isNumber: true as const,
    },
    {
      head: phrases.when,
      cell: ({ sentAt, sendAt, createdAt }: Campaign) => renderInstant(sentAt ?? sendAt ?? createdAt),
    },
  ]
}

const tones: Readonly<Record<Campaign['status'], string>> = {
  draft: '',
  scheduled: '',
  sending: '',
  sent: ' good',
  finished: ' good',
}

/** Renders the state of a campaign as a badge. */
export const renderState = (status: Campaign['status'], { states }: CampaignWords): Markup =>
  html`<span class="badge${tones[status]}">${states[status]}</span>`

/** Renders what to do for an application that has credentials of no wallet. */
export function renderWalletHint({ language }: ConsolePage, wallets: ApplicationWallets): Markup | false {
  const { application, isConnected, hasOwnWallet } = wallets
  const phrases = campaignWords[language]
  const say = hasOwnWallet ? phrases.noWalletHere : phrases.noWallet
  return (
    !isConnected
    && html`<p class="card">${say(application.name)} <a href="${getWalletsAddress(application.id)}">${phrases.connect}</a></p>`
  )
}
