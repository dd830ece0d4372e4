import {
  hasNoNumbers,
  type PassportPage,
  type PassportProof,
  type CertificateStanding,
} from '../../features/dpp/index.ts'
import { html, type Markup } from '../site/html.ts'
import { formatDay } from './passport.values.ts'
import { words, type Language } from '../../languages/index.ts'
import type { PageReader } from '../site/reader.ts'

/** How the page of a passport is shown: the page's language and the current day. */
export interface PassportReader extends PageReader {
  today: Date
}

const tones: Record<CertificateStanding, 'good' | 'bad' | 'plain'> = {
  verified: 'good',
  failed: 'bad',
  suspended: 'bad',
  revoked: 'bad',
  none: 'plain',
  pending: 'plain',
  archived: 'plain',
  unreachable: 'plain',
  unknown: 'plain',
}
/** Whether a certificate is there, and something speaks against it. */
export const isNotInOrder = (standing: CertificateStanding): boolean => tones[standing] === 'bad'

const signs = { good: '✓ ', bad: '✗ ', plain: '' } as const

/**
 * Renders the current state of the certificate as one line with a seal, which opens: who signed, in words for shoppers,
 * and behind one more click what anybody can check without us. What is not in order is open at once. It shows the day
 * and not the time of the check: browsers revalidate their copy at each visit, and as long as nothing has changed the
 * copy is still true that day.
 * @param facts further facts for experts
 */
export function renderProof(view: PassportPage, reader: PassportReader, facts: Markup): Markup {
  const { proof, organizationName } = view
  const { standing, hosted } = proof
  const phrases = words[reader.language]
  const { head, text } = phrases.standing[standing]
  const cautions = standing === 'verified' ? listCautions(view) : []
  // The page warns of a withdrawn batch or model above; its certificate is no reason to trust it then.
  const isTrusted = cautions.length === 0 && view.withdrawals.length === 0
  const tone = standing === 'verified' && !isTrusted ? 'plain' : tones[standing]
  const wrong = proof.checks.filter(({ ok }) => ok === false)
  const open = proof.checks.filter(({ ok }) => ok === null)
  const sentence = standing === 'unreachable' && hosted ? phrases.hostedOutOfReach : text(organizationName)
  return html`<section class="proof ${tone}" aria-labelledby="proof">
<details${tone === 'bad' && html` open`}><summary><h2 id="proof"><span aria-hidden="true">${signs[tone]}</span>${head}</h2>${cautions.map((caution) => html` <span class="quiet">${phrases.product.cautions[caution]}</span>`)}</summary>
${standing === 'verified' && renderSignature(view, reader.language)}
<p>${sentence}</p>
${standing === 'failed' && html`<ul>${wrong.map(({ check }) => html`<li>${phrases.checks[check].bad}</li>`)}</ul>`}
${
  standing === 'unknown'
  && html`<ul>${open.map(({ check }) => html`<li>${phrases.notChecked} ${phrases.checks[check].good}</li>`)}</ul>`
}
${proof.renewing && html`<p>${phrases.renewing}</p>`}
${proof.checks.length > 0 && html`<p class="quiet">${phrases.checkedOn(formatDay(reader.today, reader.language))}</p>`}
<details><summary>${phrases.product.experts}</summary>
${proof.issuer && renderCertificate(view, proof, reader.language)}
${standing !== 'failed' && renderChecks(proof, reader.language)}
${facts}</details>
</details>
</section>`
}

/**
 * Lists why a certificate in order is no reason to trust the item in hand: the page is that of its model or batch because
 * nobody has registered the number that was scanned, or whoever signed it has proven nothing but a name.
 */
function listCautions({ proof, publisher, unregistered }: PassportPage): ('ofModel' | 'unconfirmed')[] {
  const isProven = (proof.issuer?.domain ?? publisher.domain ?? publisher.gtin) !== null
  return [...(hasNoNumbers(unregistered) ? [] : ['ofModel' as const]), ...(isProven ? [] : ['unconfirmed' as const])]
}

/** Renders who signed, and when. A name counts as nobody's before its domain is proven. */
function renderSignature({ passport, proof, publisher }: PassportPage, language: Language): Markup | false {
  const { signedByDomain, signedByName } = words[language].product
  const domain = proof.issuer?.domain ?? publisher.domain
  const day = passport.certifiedAt === null ? null : formatDay(passport.certifiedAt, language)
  if (day === null) return false
  // The operator has confirmed the name of whoever owns the GTIN.
  const proven = domain ?? (publisher.gtin === null ? null : publisher.name)
  return html`<p>${proven === null ? signedByName(publisher.name, day) : signedByDomain(proven, day)}</p>`
}

function renderCertificate(
  { passport, organizationName }: PassportPage,
  proof: PassportProof,
  language: Language,
): Markup {
  const phrases = words[language]
  const { issuer, hosted } = proof
  const path = `/v1/dpp/passports/${passport.id}`
  const by = issuer?.domain
    ? phrases.byDomain(issuer.domain)
    : hosted
      ? phrases.keptBy(organizationName)
      : phrases.withoutDomain
  return html`<dl>
<div><dt>${phrases.issuer}</dt><dd>${issuer?.name}<br><span class="quiet">${by}</span></dd></div>
${
  passport.certifiedAt
  && html`<div><dt>${phrases.certified}</dt><dd><time datetime="${passport.certifiedAt}">${formatDay(passport.certifiedAt, language)}</time></dd></div>`
}
<div><dt>${phrases.credential}</dt><dd><a href="${path}/vc.jsonld">${phrases.withProof}</a>${
    !hosted
    && html`<br>
<a href="/p/${passport.id}/credential.jwt">${phrases.asToken}</a>`
  }</dd></div>
<div><dt>${phrases.receipt}</dt><dd><a href="${path}/anchor">${phrases.receiptLink}</a></dd></div>
</dl>`
}

function renderChecks({ checks }: PassportProof, language: Language): Markup | false {
  const phrases = words[language]
  return (
    checks.length > 0
    && html`<h3>${phrases.whatWasChecked}</h3>
<ul>${checks.map((one) => renderCheck(one, language))}</ul>`
  )
}

/** Renders a check; one that could not be carried out is neither good nor bad. */
function renderCheck({ check, ok }: PassportProof['checks'][number], language: Language): Markup {
  const { checks, notInOrder, notChecked } = words[language]
  if (ok === null) return html`<li>${notChecked} ${checks[check].good}</li>`
  return html`<li class="${ok ? 'good' : 'bad'}">${ok ? '' : `${notInOrder} `}${checks[check][ok ? 'good' : 'bad']}</li>`
}
