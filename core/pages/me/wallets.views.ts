import type { OwnWallet } from '../../features/loyalty/index.ts'
import { words } from '../../languages/index.ts'
import { html, type Markup } from '../site/html.ts'
import { keepLanguage, renderLanguageField, type PageReader } from '../site/reader.ts'
import { renderHiddenField } from '../site/sign-in.views.ts'

/** Renders the wallets for which the buyer of an application can get a card, and how it is in each. */
export function renderWallets(wallets: readonly OwnWallet[], slug: string, reader: PageReader): Markup {
  const phrases = words[reader.language].wallets
  return html`<h2 id="card">${phrases.head}</h2>
<p>${phrases.text}</p>
<ul class="wallets">${wallets.map((wallet) => renderWallet(wallet, slug, reader))}</ul>`
}

function renderWallet(wallet: OwnWallet, slug: string, reader: PageReader): Markup {
  const { channel, isHeld } = wallet
  const phrases = words[reader.language].wallets
  const address = keepLanguage(`/me/wallets/${channel}?application=${slug}`, reader)
  return html`<li class="card"><p class="row"><strong>${phrases.wallets[channel]}</strong> <span class="${isHeld ? 'good' : 'quiet'}">${isHeld ? phrases.held : phrases.notHeld}</span></p>
<p><a class="button${isHeld && ' plain'}" href="${address}" rel="nofollow">${phrases.add[channel]}</a></p>
${isHeld && renderMessages(wallet, slug, reader)}</li>`
}

/** Renders whether messages of the shop come to a card, with the button that changes it. */
function renderMessages({ channel, isOptedIn }: OwnWallet, slug: string, reader: PageReader): Markup {
  const phrases = words[reader.language].wallets
  const button = isOptedIn ? phrases.optOut : phrases.optIn
  return html`<p class="quiet">${isOptedIn ? phrases.messagesOn : phrases.messagesOff}</p>
<form method="post" action="/me/wallets/${channel}/messages">${renderHiddenField('application', slug)}${renderLanguageField(reader)}${renderHiddenField('messages', isOptedIn ? 'off' : 'on')}<button class="small plain" aria-label="${button}: ${phrases.wallets[channel]}">${button}</button></form>`
}
