import { isEmpty, type OpenPassport, type Publisher, type ScannedNumbers, type Withdrawal } from '../../features/dpp/index.ts'
import type { Language } from '../../kernel/languages.ts'
import { html, type Markup } from '../html.ts'
import { inLanguage, type Reader } from '../reader.ts'
import { noticeWords } from './words.ts'

/** Says who publishes, and whether that is proven: a domain or the operator's word proves it, a name does not. */
export function publisherLine(publisher: Publisher, { language }: Reader): Markup {
  const { name, domain, gtin } = publisher
  const said = noticeWords[language].publisher
  if (domain !== null) return html`<span class="good"><span aria-hidden="true">✓ </span>${said.byDomain(domain)}</span>`
  if (gtin !== null) return html`<span class="good"><span aria-hidden="true">✓ </span>${said.byGtin(name, gtin)}</span>`
  return html`<span class="quiet">${said.byName(name)}</span>`
}

/** Says loudly that what was scanned is not registered; nothing where it is. */
export function unregisteredBanner(unregistered: ScannedNumbers, language: Language): Markup | false {
  if (isEmpty(unregistered)) return false
  const said = noticeWords[language].unregistered
  const { batch, serial } = unregistered
  const numbers = [
    ...(batch === undefined ? [] : [said.numbers.batch(batch)]), ...(serial === undefined ? [] : [said.numbers.serial(serial)]),
  ].join(said.and)
  return banner(html`${batch !== undefined && html`<strong>${said.batch}</strong>`}
${serial !== undefined && html`<strong>${said.serial}</strong>`}`, said.told(numbers))
}

/** Says loudly what of a passport's batch and model is withdrawn; its own certificate says for itself what it is. */
export function withdrawalBanners({ withdrawals }: Pick<OpenPassport, 'withdrawals'>, reader: Reader): Markup[] {
  return withdrawals.flatMap(({ level, purpose, passport }: Withdrawal) => {
    if (level === 'own') return []
    const said = noticeWords[reader.language]
    const { head, told } = said.withdrawn[level][purpose]
    const link = html`<a href="${inLanguage(`/p/${passport}`, reader)}">${said.see[level]}</a>`
    return [banner(html`<strong>${head}</strong>`, html`${told} ${link}`)]
  })
}

const banner = (head: Markup, told: Markup | string): Markup => html`<div class="notice" role="alert">
<p><span aria-hidden="true">⚠ </span>${head}</p>
<p>${told}</p>
</div>`
