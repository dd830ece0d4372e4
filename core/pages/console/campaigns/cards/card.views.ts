import {
  findTextColour,
  formatColour,
  getPapers,
  parseColour,
  type Theme,
} from '../../../../features/applications/index.ts'
import type { CardChannel } from '../../../../features/accounts/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { words as publicWords } from '../../../../languages/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import { cardWords, type CardWords } from './words.ts'

/** A card that is drawn as a phone shows it, with content that is made up. */
export interface DrawnCard {
  theme: Theme
  /** What customers know the program as. */
  program: string
  tier: string | null
  /** Both are empty while there is no message. */
  message: { headline: string; body: string }
}

interface Drawing {
  card: DrawnCard
  language: ConsoleLanguage
  phrases: CardWords
  /** The colour of the card, and what is written on it. */
  paper: string
  ink: string
}

/** The member number of the drawing. No account has it. */
const exampleNumber = '0000-0000-0000'
const examplePoints = 1_250
const exampleVisits = 7

/** The size of a drawing, in its own units. */
const width = 300
const height = 520

/**
 * Renders the cards of these wallets with a message, each as a picture of a phone; the script of a form shows the hidden
 * ones when they are chosen. The colours are attributes of the
 * drawing, because the policy of the page takes no style in it.
 */
export function renderPhones(
  card: DrawnCard,
  channels: readonly CardChannel[],
  language: ConsoleLanguage,
  hidden: readonly CardChannel[] = [],
): Markup {
  const { theme } = card
  const paper = parseColour(theme.primaryColor ?? getPapers(theme, 'light').accent)
  const drawing: Drawing = {
    card,
    language,
    phrases: cardWords[language],
    paper: formatColour(paper),
    ink: formatColour(findTextColour(paper)),
  }
  return html`<div class="wallets">${channels.map((channel) => renderPhone(channel, renderers[channel](drawing), hidden.includes(channel)))}</div>`
}

/** Renders a part of a drawing with text that breaks into lines. */
const renderText = (
  { x, y, wide, tall }: { x: number; y: number; wide: number; tall: number },
  colour: string,
  content: Markup,
): Markup =>
  html`<foreignObject x="${x}" y="${y}" width="${wide}" height="${tall}" color="${colour}">${content}</foreignObject>`

/** Renders the text of the message, in elements that the script of the form fills. */
const renderMessage = ({ card: { message }, phrases }: Drawing): Markup =>
  html`<strong class="line" data-shows="headline" data-empty="${phrases.noHeadline}">${message.headline || phrases.noHeadline}</strong>
<span class="lines" data-shows="body" data-empty="${phrases.noBody}">${message.body || phrases.noBody}</span>`

const renderLogo = ({ card: { theme, program }, paper, ink }: Drawing, size: number, x: number, y: number): Markup =>
  theme.logoUrl === undefined
    ? html`<circle cx="${x + size / 2}" cy="${y + size / 2}" r="${size / 2}" fill="${ink}"/><text x="${x + size / 2}" y="${y + size * 0.68}" font-size="${size * 0.5}" font-weight="700" text-anchor="middle" fill="${paper}">${[...program][0]?.toLocaleUpperCase() ?? ''}</text>`
    : html`<image x="${x}" y="${y}" width="${size}" height="${size}" href="${theme.logoUrl}" preserveAspectRatio="xMidYMid meet"/>`

/** Renders the code of the till, on white as scanners need it. */
function renderCode(x: number, y: number, size: number): Markup {
  const cells = 21
  const unit = size / cells
  const isFinder = (row: number, column: number) => (row < 7 && (column < 7 || column > 13)) || (row > 13 && column < 7)
  const path = Array.from({ length: cells * cells }, (_, at) => [Math.floor(at / cells), at % cells] as const)
    .filter(([row, column]) => !isFinder(row, column) && (row * row * 7 + column * 11 + row * column * 3) % 5 < 2)
    .map(([row, column]) => `M${column} ${row}h1v1h-1z`)
    .join('')
  const finder = (row: number, column: number) =>
    `M${column} ${row}h7v7h-7zm1 1v5h5v-5zM${column + 2} ${row + 2}h3v3h-3z`
  return html`<rect x="${x - 8}" y="${y - 8}" width="${size + 16}" height="${size + 16}" rx="6" fill="#ffffff"/>
<path transform="translate(${x} ${y}) scale(${unit})" fill="#000000" fill-rule="evenodd" d="${path}${finder(0, 0)}${finder(0, 14)}${finder(14, 0)}"/>`
}

interface PhoneParts {
  title: string
  content: Markup
}

/** The drawing says nothing that the form beside it does not, but its text is read by whoever cannot see it. */
const renderPhone = (channel: CardChannel, { title, content }: PhoneParts, isHidden: boolean): Markup =>
  html`<figure class="wallet" data-wallet="${channel}"${isHidden && html` hidden`}><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${width} ${height}" width="100%" focusable="false" role="group" aria-label="${title}">
<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="34" fill="#17171c" stroke="#6d6d78" stroke-width="2"/>
${content}</svg></figure>
`

/** Renders a store card below the banner that a locked phone shows. */
function renderApple(drawing: Drawing): PhoneParts {
  const { card, language, phrases, paper, ink } = drawing
  const { program, tier } = card
  const { me } = publicWords[language]
  const field = (x: number, label: string, value: Markup | string) =>
    html`<text x="${x}" y="326" font-size="10" fill="${ink}">${label}</text><text x="${x}" y="344" font-size="16" fill="${ink}">${value}</text>`
  return {
    title: phrases.apple,
    content: html`<text x="150" y="44" font-size="26" font-weight="600" text-anchor="middle" fill="#ffffff" aria-hidden="true">9:41</text>
<rect x="14" y="62" width="272" height="104" rx="18" fill="#f2f2f4"/>
${renderLogo({ ...drawing, paper: ink, ink: paper }, 30, 26, 78)}
${renderText({ x: 66, y: 70, wide: 210, tall: 92 }, '#1b1b1f', html`<div class="said"><span class="line">${program}</span>${renderMessage(drawing)}</div>`)}
<rect x="14" y="184" width="272" height="318" rx="14" fill="${paper}"/>
${renderLogo(drawing, 28, 28, 196)}
${renderText({ x: 64, y: 196, wide: 208, tall: 28 }, ink, html`<div class="said"><strong class="line name">${program}</strong></div>`)}
<text x="28" y="286" font-size="38" font-weight="300" fill="${ink}">${examplePoints.toLocaleString(language)}</text>
<text x="28" y="304" font-size="11" fill="${ink}">${me.points}</text>
${tier === null ? field(28, me.visits, String(exampleVisits)) : html`${field(28, me.tier, tier)}${field(200, me.visits, String(exampleVisits))}`}
${renderText({ x: 28, y: 356, wide: 244, tall: 36 }, ink, html`<div class="said"><span class="label">${phrases.news}</span><span class="line" data-shows="headline" data-empty="${phrases.noHeadline}">${card.message.headline || phrases.noHeadline}</span></div>`)}
${renderCode(114, 406, 72)}
<text x="150" y="496" font-size="8" text-anchor="middle" fill="${ink}">${exampleNumber}</text>`,
  }
}

/** Renders a loyalty card, with its message beneath as the app shows it. */
function renderGoogle(drawing: Drawing): PhoneParts {
  const { card, language, phrases, paper, ink } = drawing
  const { program, tier } = card
  const { me } = publicWords[language]
  const field = (x: number, anchor: string, label: string, value: Markup | string) =>
    html`<text x="${x}" y="152" font-size="10" text-anchor="${anchor}" fill="${ink}">${label}</text><text x="${x}" y="174" font-size="18" text-anchor="${anchor}" fill="${ink}">${value}</text>`
  return {
    title: phrases.google,
    content: html`<rect x="14" y="40" width="272" height="300" rx="20" fill="${paper}"/>
${renderLogo(drawing, 32, 28, 56)}
${renderText({ x: 70, y: 60, wide: 202, tall: 28 }, ink, html`<div class="said"><span class="line name">${program}</span></div>`)}
<rect x="14" y="100" width="272" height="1" fill="${ink}" fill-opacity="0.3"/>
<text x="28" y="126" font-size="15" font-weight="600" fill="${ink}">${phrases.cardOf(program.slice(0, 24))}</text>
${field(28, 'start', me.points, examplePoints.toLocaleString(language))}
${tier !== null && field(272, 'end', me.tier, tier)}
${renderCode(94, 204, 112)}
<rect x="14" y="352" width="272" height="150" rx="16" fill="#f2f2f4"/>
${renderText({ x: 28, y: 362, wide: 244, tall: 132 }, '#1b1b1f', html`<div class="said"><span class="label">${phrases.messages}</span>${renderMessage(drawing)}</div>`)}`,
  }
}

const renderers: Readonly<Record<CardChannel, (drawing: Drawing) => PhoneParts>> = {
  'apple-wallet': renderApple,
  'google-wallet': renderGoogle,
}
