import {
  listContrasts,
  type ApplicationShape,
  type ApplicationView,
  type ColourContrast,
} from '../../../features/applications/index.ts'
import { cardChannels } from '../../../features/accounts/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { getPalette } from '../../site/looks.ts'
import { getApplicationAddress } from '../applications/applications.views.ts'
import { renderPhones } from '../campaigns/cards/card.views.ts'
import { cardWords } from '../campaigns/cards/words.ts'
import { addRefusals, renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderCards, renderPager } from '../frame/lists.views.ts'
import type { BrandingForm, DraftLooks } from './branding.form.ts'
import { createLabels, renderLooksForm, renderValues, type LooksView } from './looks.views.ts'
import { renderOptIn, type OptInView } from './opt-in.views.ts'
import { brandingPath, getBrandingAddress, getPreviewAddress, getPreviewPath, previewNames } from './previews.ts'
import { getWalletsAddress } from './wallets/paths.ts'
import { walletWords } from './wallets/words.ts'
import { brandingWords } from './words.ts'

interface BrandingListView {
  applications: readonly ApplicationShape[]
  total: number
  isFirst: boolean
  next: string | null
}

/** Renders the applications of an organization, each with a small picture of its looks. */
export function renderBrandings({ words, language }: ConsolePage, view: BrandingListView): Markup {
  const phrases = brandingWords[language]
  const listColours = ({ theme: { primaryColor, secondaryColor } }: ApplicationShape) =>
    [primaryColor, secondaryColor].filter((colour) => colour !== undefined).join(', ') || phrases.none
  const columns = [
    { head: phrases.looks, cell: renderPicture },
    {
      head: phrases.application,
      cell: ({ id, name }: ApplicationShape) => html`<a href="${getBrandingAddress(id)}">${name}</a>`,
    },
    {
      head: phrases.fields.title,
      cell: ({ name, theme }: ApplicationShape) => theme.title ?? name,
    },
    { head: phrases.colours, cell: listColours },
  ]
  return html`<h1>${phrases.title}</h1>
<p>${phrases.listIntro}</p>
<p class="quiet">${phrases.count(formatCount(view.total, language))}</p>
${renderCards(phrases.title, columns, view.applications)}
${renderPager(brandingPath, view.next, { isFirst: view.isFirst, words })}`
}

/** Renders a page in the colours of an application, small, without words. */
function renderPicture({ theme }: Pick<ApplicationShape, 'theme'>): Markup {
  const { accent, card, ink, line, paper, second } = getPalette(theme)
  return html`<svg width="48" height="60" viewBox="0 0 48 60" aria-hidden="true" focusable="false">
<rect x="0.5" y="0.5" width="47" height="59" rx="5" fill="${paper}" stroke="${line}"/>
<rect x="6" y="8" width="24" height="4" fill="${ink}"/>
<rect x="6" y="18" width="36" height="18" rx="2" fill="${card}" stroke="${line}"/>
<rect x="6" y="17" width="36" height="3" fill="${second}"/>
<rect x="6" y="43" width="36" height="9" rx="2" fill="${accent}"/></svg>`
}

interface OneBrandingView {
  application: ApplicationView
  form: BrandingForm
  /** The looks that are previewed. */
  draft: DraftLooks
  /** The form, for those who may change the looks. */
  looks: LooksView | null
  /** The form for signed forms, for those who may upload one. */
  optIn: OptInView | null
  isSaved: boolean
  isDraft: boolean
  problem: ProblemError | undefined
}

/** Renders the looks of an application: the form, the contrast of its colours, and its pages in these looks. */
export function renderBranding(page: ConsolePage, view: OneBrandingView): Markup {
  const phrases = brandingWords[page.language]
  const { application, form, draft, looks, optIn, isSaved, isDraft, problem } = view
  const { id, name } = application
  const words = addRefusals(page.words, phrases.codes, phrases.issues)
  return html`<h1>${phrases.titleOf(name)}</h1>
<p>${phrases.intro}</p>
${isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${isDraft && html`<p role="status">${phrases.isDraft}</p>`}
${renderRefusal(problem, words, createLabels(phrases, page.language))}
${looks ? renderLooksForm(page, { id, ...looks }) : renderValues(form, page.language)}
${renderContrasts(listContrasts(draft.theme), page.language)}
${renderPreviews(id, form, page.language)}
${renderDrawnCards(application, draft, page.language)}
${optIn && renderOptIn(page, { id, ...optIn })}
<p><a href="${getApplicationAddress(id)}">${phrases.toSettings}</a></p>`
}

/** Formats a contrast, cut after two decimals, so that what is not enough never looks as if it were. */
const formatRatio = (ratio: number, language: ConsoleLanguage): string =>
  brandingWords[language].ratioOf(
    ratio.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  )

/** Renders how each colour can be read as text, and what our pages do where it cannot. */
function renderContrasts(contrasts: readonly ColourContrast[], language: ConsoleLanguage): Markup | false {
  const phrases = brandingWords[language]
  const renderVerdict = ({ colour, isEnough, shown, given }: ColourContrast): Markup => {
    if (isEnough) return html`<span class="good">${phrases.enough}</span>`
    const text = colour === 'primaryColor' ? phrases.notEnough(shown ?? given) : phrases.notEnoughForText
    return html`<strong class="bad">${text}</strong>`
  }
  const columns = [
    {
      head: phrases.colour,
      cell: ({ colour, given }: ColourContrast) =>
        html`<span><svg width="16" height="16" aria-hidden="true" focusable="false"><rect width="16" height="16" rx="3" fill="${given}" stroke="currentColor"/></svg> ${phrases.fields[colour]}, ${given}</span>`,
    },
    { head: phrases.on, cell: ({ scheme }: ColourContrast) => phrases.schemes[scheme] },
    { head: phrases.ratio, cell: ({ ratio }: ColourContrast) => formatRatio(ratio, language) },
    { head: phrases.verdict, cell: renderVerdict },
  ]
  return (
    contrasts.length > 0
    && html`<h2>${phrases.contrast}</h2>
<p>${phrases.contrastText}</p>
${renderCards(phrases.contrast, columns, contrasts)}`
  )
}

/** Renders the cards of wallets in the looks that are previewed, as phones draw them. */
function renderDrawnCards({ id, name }: ApplicationView, { theme }: DraftLooks, language: ConsoleLanguage): Markup {
  const phrases = walletWords[language]
  const { exampleTier, exampleHeadline, exampleBody } = cardWords[language]
  const card = {
    theme,
    program: theme.title ?? name,
    tier: exampleTier,
    message: { headline: exampleHeadline, body: exampleBody },
  }
  return html`<h2 id="cards">${phrases.cards}</h2>
<p>${phrases.cardsText}</p>
${renderPhones(card, cardChannels, language)}
<p><a href="${getWalletsAddress(id)}">${phrases.link}</a></p>`
}

function renderPreviews(id: string, form: BrandingForm, language: ConsoleLanguage): Markup {
  const phrases = brandingWords[language]
  return html`<h2>${phrases.previews}</h2>
<p>${phrases.previewsText}</p>
<div class="phones">${previewNames.map((name) => {
    const title = phrases.previewNames[name]
    const address = getPreviewAddress(id, name, form, language)
    return html`<figure class="phone"><figcaption><a href="${address}">${title}</a></figcaption>
<div><iframe src="${address}" title="${title}" sandbox="allow-same-origin" loading="lazy" data-preview="${getPreviewPath(id, name)}"></iframe></div></figure>
`
  })}</div>`
}
