import type { CardChannel } from '../../../../features/accounts/index.ts'
import type { ApplicationShape } from '../../../../features/applications/index.ts'
import { certificateNoticeDays, type WalletCredentials } from '../../../../features/loyalty/index.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { getApplicationAddress } from '../../applications/applications.views.ts'
import { addRefusals, renderRefusal } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderDay, renderInstant } from '../../frame/lists.views.ts'
import { getBrandingAddress } from '../previews.ts'
import { getWalletsAddress } from './paths.ts'
import { walletWords, type WalletWords } from './words.ts'

/** A form for credentials that was refused. Its public part stays; a private one is never sent back. */
export interface RefusedCredentials {
  channel: CardChannel
  certificate: string
  problem: ProblemError
}

interface WalletsView {
  application: Pick<ApplicationShape, 'id' | 'name'>
  credentials: readonly WalletCredentials[]
  mayChange: boolean
  isSaved: boolean
  isProduction: boolean
  now: Date
  refused: RefusedCredentials | undefined
}

/** Renders the state of the credentials of an application's wallets, and the forms that set them. */
export function renderWallets(page: ConsolePage, view: WalletsView): Markup {
  const phrases = walletWords[page.language]
  const { application, credentials, isSaved } = view
  return html`<p><a href="${getBrandingAddress(application.id)}">${phrases.back}</a></p>
<h1>${phrases.title(application.name)}</h1>
<p>${phrases.intro}</p>
${isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${credentials.map((one) => renderWallet(page, one, view))}`
}

function renderWallet(page: ConsolePage, credentials: WalletCredentials, view: WalletsView): Markup {
  const phrases = walletWords[page.language]
  const { channel, isConfigured } = credentials
  const { application, mayChange, refused } = view
  const own = refused?.channel === channel ? refused : undefined
  return html`<section class="card" aria-labelledby="${channel}"><h2 id="${channel}">${phrases.channels[channel]}</h2>
<p><span class="badge${isConfigured && ' good'}">${isConfigured ? phrases.connected : phrases.notConnected}</span></p>
${renderNotes(credentials, view, phrases)}
${renderFacts(credentials, phrases)}
${
  mayChange
  && html`${renderRefusal(own?.problem, addRefusals(page.words, {}, phrases.issues), createLabels(phrases))}
<form method="post" action="${getWalletsAddress(application.id)}/${channel}" autocomplete="off">
${channel === 'apple-wallet' ? renderAppleFields(own, phrases) : renderGoogleField(own, phrases)}
<p class="buttons"><button class="small">${isConfigured ? phrases.replace : phrases.set}</button>${isConfigured && html` <a href="${getWalletsAddress(application.id)}/${channel}/remove">${phrases.remove}</a>`}</p></form>`
}</section>`
}

const createLabels = (phrases: WalletWords): Record<string, string> => ({
  certificate: phrases.certificate,
  privateKey: phrases.privateKey,
  ...Object.fromEntries(
    ['', '.client_email', '.private_key', '.private_key_id'].map((member) => [
      `serviceAccount${member}`,
      `${phrases.serviceAccount}${member}`,
    ]),
  ),
})

const dayMs = 86_400_000

function renderNotes(credentials: WalletCredentials, view: WalletsView, phrases: WalletWords): Markup | false {
  const { channel, isConfigured, expiresAt, issuerId } = credentials
  const { isProduction, now, application } = view
  if (channel === 'google-wallet')
    return (
      issuerId === undefined
      && html`<p>${phrases.needsIssuer} <a href="${getApplicationAddress(application.id)}">${phrases.toSettings}</a></p>`
    )
  if (!isConfigured) return !isProduction && html`<p class="quiet">${phrases.development}</p>`
  if (expiresAt === undefined) return false
  const leftMs = Date.parse(expiresAt) - now.getTime()
  if (leftMs <= 0) return html`<p class="bad" role="alert">${phrases.ended}</p>`
  return leftMs < certificateNoticeDays * dayMs && html`<p class="bad" role="alert">${phrases.endsSoon}</p>`
}

function renderFacts(credentials: WalletCredentials, phrases: WalletWords): Markup | false {
  const { passTypeIdentifier, teamIdentifier, issuerId, clientEmail, expiresAt, updatedAt } = credentials
  const rows = [
    passTypeIdentifier !== undefined && ([phrases.passType, passTypeIdentifier] as const),
    teamIdentifier !== undefined && ([phrases.team, teamIdentifier] as const),
    issuerId !== undefined && ([phrases.issuer, issuerId] as const),
    clientEmail !== undefined && ([phrases.account, clientEmail] as const),
    expiresAt !== undefined && ([phrases.validUntil, renderDay(expiresAt)] as const),
    updatedAt !== null && ([phrases.setOn, renderInstant(updatedAt)] as const),
  ].filter((row) => row !== false)
  return (
    rows.length > 0 && html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
  )
}

interface SecretField {
  name: string
  label: string
  hint: string
  value: string
  isWrong: boolean
}

const renderArea = ({ name, label, hint, value, isWrong }: SecretField): Markup =>
  html`<div class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="4" required spellcheck="false"${isWrong && html` aria-invalid="true"`} aria-describedby="${name}-use">${value}</textarea>
<p class="quiet" id="${name}-use">${hint}</p></div>`

const isWrong = (refused: RefusedCredentials | undefined, path: string): boolean =>
  (refused?.problem.errors ?? []).some((issue) => issue.path === path || issue.path.startsWith(`${path}.`))

const renderAppleFields = (refused: RefusedCredentials | undefined, phrases: WalletWords): Markup =>
  html`${renderArea({ name: 'certificate', label: phrases.certificate, hint: phrases.certificateHint, value: refused?.certificate ?? '', isWrong: isWrong(refused, 'certificate') })}
${renderArea({ name: 'privateKey', label: phrases.privateKey, hint: phrases.privateKeyHint, value: '', isWrong: isWrong(refused, 'privateKey') })}`

const renderGoogleField = (refused: RefusedCredentials | undefined, phrases: WalletWords): Markup =>
  renderArea({
    name: 'serviceAccount',
    label: phrases.serviceAccount,
    hint: phrases.serviceAccountHint,
    value: '',
    isWrong: isWrong(refused, 'serviceAccount'),
  })
