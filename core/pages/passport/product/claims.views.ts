import type { LabelledValue } from '../../../features/dpp/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderValue } from '../passport.values.ts'
import { formatMeasure } from './measures.ts'
import { findMember, getText, listElements } from './members.ts'
import {
  enter,
  isEmptyList,
  renderMark,
  renderProductValue,
  renderRest,
  renderRests,
  renderRow,
  type ProductPlace,
} from './values.views.ts'

/** The members that a claim tells as rows, in the order in which readers ask for them. */
const rowNames = [
  'referenceStandard',
  'referenceRegulation',
  'referenceCriteria',
  'evidence',
  'claimDate',
  'applicablePeriod',
]
const shownNames = [...rowNames, 'name', 'description', 'claimedPerformance', 'conformityTopic']

/** Renders what is claimed of a product's performance, such as its footprint, each with its figures. */
export function renderPerformance(claims: LabelledValue, place: ProductPlace): Markup | string {
  const list = listElements(claims)
  if (list.length === 0) return renderProductValue(claims, place)
  return html`${list.map((claim) => renderClaim(claim, enter(place, claim.name)))}`
}

function renderClaim(claim: LabelledValue, place: ProductPlace): Markup {
  const description = findMember(claim, 'description')
  const topics = listElements(findMember(claim, 'conformityTopic')).map((topic) =>
    renderProductValue(topic, enter(enter(place, 'conformityTopic'), topic.name)),
  )
  const rows = rowNames.flatMap((name) => findMember(claim, name) ?? []).filter((row) => !isEmptyList(row))
  return html`<div class="claim"><h3>${getText(claim, 'name')}${renderMark(claim, place.language)}</h3>
${topics.map((topic) => html`<div class="quiet">${topic}</div>`)}
${description && html`<div>${renderValue(description, place.language)}</div>`}
${renderFigures(claim, place)}
${rows.length > 0 && html`<dl>${rows.map((row) => renderRow(row, place))}</dl>`}
${renderRest(claim, place, shownNames)}</div>`
}

function renderFigures(claim: LabelledValue, place: ProductPlace): Markup | false {
  const performance = findMember(claim, 'claimedPerformance')
  const own = enter(place, 'claimedPerformance')
  const list = listElements(performance)
  return (
    list.length > 0
    && html`<dl class="figures">${list.map((figure) => renderFigure(figure, enter(own, figure.name)))}</dl>`
  )
}

function renderFigure(figure: LabelledValue, place: ProductPlace): Markup {
  const { language } = place
  const [metric, measure, score] = ['metric', 'measure', 'score'].map((name) => findMember(figure, name))
  const value = formatMeasure(measure, language)
  const grade = getText(score, 'code')
  const parts: readonly [LabelledValue | undefined, string[]][] = [
    [metric, ['name']],
    [measure, ['value', 'unit', 'upperTolerance', 'lowerTolerance']],
    [score, ['code']],
  ]
  const rest = renderRests([
    { one: figure, place, shown: ['metric', 'measure', 'score'] },
    ...parts.flatMap(([one, shown]) => (one ? [{ one, place: enter(place, one.name), shown }] : [])),
  ])
  return html`<div><dt>${getText(metric, 'name')}</dt><dd>${value}${value !== null && grade !== null && ' · '}${grade}</dd>${rest && html`<dd class="rest">${rest}</dd>`}</div>`
}
