import type { OpenPassport, PassportProof, Standing } from '../features/dpp/index.ts'
import { html, type Markup } from './html.ts'
import { dayShown } from './passport.values.ts'
import type { Language } from '../kernel/languages.ts'
import type { Reader } from './reader.ts'
import { words } from './words.ts'

/** How the page of a passport is shown. */
export interface Look extends Reader { today: Date }

const tones: Record<Standing, 'good' | 'bad' | 'plain'> = {
  verified: 'good', failed: 'bad', suspended: 'bad', revoked: 'bad', none: 'plain', pending: 'plain', archived: 'plain',
  unreachable: 'plain', unknown: 'plain',
}
const signs = { good: '✓ ', bad: '✗ ', plain: '' } as const

/**
 * What the certificate is worth at this moment, in a sentence, and what anybody can check without us. The day and not
 * the time stands on it: what a browser keeps is asked after each time, and while nothing has changed it is still true.
 */
export function proofCard(view: OpenPassport, look: Look): Markup {
  const { proof, organizationName } = view
  const { standing, hosted } = proof
  const said = words[look.language]
  const { head, told } = said.standing[standing]
  const tone = tones[standing]
  const wrong = proof.checks.filter(({ ok }) => ok === false)
  const open = proof.checks.filter(({ ok }) => ok === null)
  const sentence = standing === 'unreachable' && hosted ? said.hostedOutOfReach : told(organizationName)
  return html`<section class="card proof ${tone}" aria-labelledby="proof">
<h2 id="proof"><span aria-hidden="true">${signs[tone]}</span>${head}</h2>
<p>${sentence}</p>
${standing === 'failed' && html`<ul>${wrong.map(({ check }) => html`<li>${said.checks[check].bad}</li>`)}</ul>`}
${standing === 'unknown' && html`<ul>${open.map(({ check }) => html`<li>${said.notJudged} ${said.checks[check].good}</li>`)}</ul>`}
${proof.renewing && html`<p>${said.renewing}</p>`}
${proof.checks.length > 0 && html`<p class="quiet">${said.checkedOn(dayShown(look.today, look.language))}</p>`}
${proof.issuer && certificate(view, proof, look.language)}
${standing !== 'failed' && whatWasChecked(proof, look.language)}
</section>`
}

function certificate({ passport, organizationName }: OpenPassport, proof: PassportProof, language: Language): Markup {
  const said = words[language]
  const { issuer, hosted } = proof
  const path = `/v1/dpp/passports/${passport.id}`
  const by = issuer?.domain ? said.byDomain(issuer.domain) : hosted ? said.keptBy(organizationName) : said.withoutDomain
  return html`<dl>
<div><dt>${said.issuer}</dt><dd>${issuer?.name}<br><span class="quiet">${by}</span></dd></div>
${passport.certifiedAt && html`<div><dt>${said.certified}</dt><dd><time datetime="${passport.certifiedAt}">${dayShown(passport.certifiedAt, language)}</time></dd></div>`}
<div><dt>${said.credential}</dt><dd><a href="${path}/vc.jsonld">${said.withProof}</a>${!hosted && html`<br>
<a href="/p/${passport.id}/credential.jwt">${said.asToken}</a>`}</dd></div>
<div><dt>${said.receipt}</dt><dd><a href="${path}/anchor">${said.receiptLink}</a></dd></div>
</dl>`
}

function whatWasChecked({ checks }: PassportProof, language: Language): Markup | false {
  const said = words[language]
  return checks.length > 0 && html`<details><summary>${said.whatWasChecked}</summary>
<ul>${checks.map((one) => checked(one, language))}</ul></details>`
}

/** What cannot be judged is neither good nor bad. */
function checked({ check, ok }: PassportProof['checks'][number], language: Language): Markup {
  const { checks, notInOrder, notJudged } = words[language]
  if (ok === null) return html`<li>${notJudged} ${checks[check].good}</li>`
  return html`<li class="${ok ? 'good' : 'bad'}">${ok ? '' : `${notInOrder} `}${checks[check][ok ? 'good' : 'bad']}</li>`
}
