import {
  hasNoNumbers,
  type PassportPage,
  type Publisher,
  type ScannedNumbers,
  type Withdrawal,
} from '../../features/dpp/index.ts'
import { words, type Language } from '../../languages/index.ts'
import { html, type Markup } from '../site/html.ts'
import { keepLanguage, type PageReader } from '../site/reader.ts'

/**
 * Renders who publishes and whether that is proven: a domain or the operator's confirmation proves it, a name does not.
 * @param hasWarning whether the page warns of the product: the line has no sign of approval then
 */
export function renderPublisherLine(
  publisher: Publisher,
  { language }: PageReader,
  { hasWarning = false }: { hasWarning?: boolean } = {},
): Markup {
  const { name, domain, gtin } = publisher
  const phrases = words[language].notices.publisher
  const proven = domain !== null ? phrases.byDomain(domain) : gtin !== null ? phrases.byGtin(name, gtin) : null
  if (proven === null || hasWarning) return html`<span class="quiet">${proven ?? phrases.byName(name)}</span>`
  return html`<span class="good"><span aria-hidden="true">✓ </span>${proven}</span>`
}

/** Renders a warning that the scanned numbers are not registered; false if they are. */
export function renderUnregisteredBanner(unregistered: ScannedNumbers, language: Language): Markup | false {
  if (hasNoNumbers(unregistered)) return false
  const phrases = words[language].notices.unregistered
  const { batch, serial } = unregistered
  const numbers = [
    ...(batch === undefined ? [] : [phrases.numbers.batch(batch)]),
    ...(serial === undefined ? [] : [phrases.numbers.serial(serial)]),
  ].join(phrases.and)
  return renderBanner(
    html`${batch !== undefined && html`<strong>${phrases.batch}</strong>`}
${serial !== undefined && html`<strong>${phrases.serial}</strong>`}`,
    phrases.text(numbers),
  )
}

/**
 * Renders a warning for each withdrawal of a passport's batch or model; the passport's own state is shown with its
 * certificate.
 */
export function renderWithdrawalBanners(
  { withdrawals }: Pick<PassportPage, 'withdrawals'>,
  reader: PageReader,
): Markup[] {
  return withdrawals.flatMap(({ level, purpose, passport }: Withdrawal) => {
    if (level === 'own') return []
    const phrases = words[reader.language].notices
    const { head, text } = phrases.withdrawn[level][purpose]
    const link = html`<a href="${keepLanguage(`/p/${passport}`, reader)}">${phrases.see[level]}</a>`
    return [renderBanner(html`<strong>${head}</strong>`, html`${text} ${link}`)]
  })
}

const renderBanner = (head: Markup, content: Markup | string): Markup =>
  html`<div class="notice" role="alert">
<p><span aria-hidden="true">⚠ </span>${head}</p>
<p>${content}</p>
</div>`
