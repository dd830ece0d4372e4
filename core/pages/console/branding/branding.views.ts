import type { ApplicationShape, ApplicationView } from '../../../features/applications/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { getPalette, listContrasts, type ColourContrast } from '../../site/looks.ts'
import { getApplicationAddress } from '../applications/applications.views.ts'
import { addRefusals, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderCards, renderOptions, renderPager } from '../frame/lists.views.ts'
import { getFieldPath, otherNames, shownNames, themeNames, type BrandingForm, type ThemeName } from './branding.form.ts'
import type { DraftLooks } from './branding.form.ts'
import { renderOptIn, type OptInView } from './opt-in.views.ts'
import { brandingPath, getBrandingAddress, getPreviewAddress, getPreviewPath, previewNames } from './previews.ts'
import { brandingWords, type BrandingWords } from './words.ts'

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

/** The form of the looks. */
interface LooksView {
  form: BrandingForm
  /** What the looks were like when the form was made. */
  mark: string
  /** What is stored, if somebody has changed it since the form was opened. */
  stored: BrandingForm | null
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
  const labels = Object.fromEntries(themeNames.map((each) => [getFieldPath(each), phrases.fields[each]]))
  return html`<h1>${phrases.titleOf(name)}</h1>
<p>${phrases.intro}</p>
${isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${isDraft && html`<p role="status">${phrases.isDraft}</p>`}
${renderRefusal(problem, words, labels)}
${looks ? renderForm(page, { id, ...looks }) : renderValues(form, phrases)}
${renderContrasts(listContrasts(draft.theme), page.language)}
${renderPreviews(id, form, phrases)}
${optIn && renderOptIn(page, { id, ...optIn })}
<p><a href="${getApplicationAddress(id)}">${phrases.toSettings}</a></p>`
}

const formatValue = (form: BrandingForm, name: ThemeName, { modes, notSet }: BrandingWords): string =>
  name === 'mode' ? modes[(form.mode || 'system') as keyof typeof modes] : form[name] || notSet

const renderRows = (form: BrandingForm, names: readonly ThemeName[], phrases: BrandingWords): Markup =>
  html`<dl>${names.map((name) => html`<div><dt>${phrases.fields[name]}</dt><dd>${formatValue(form, name, phrases)}</dd></div>`)}</dl>`

/** Renders the looks for those who may only see them. */
const renderValues = (form: BrandingForm, phrases: BrandingWords): Markup =>
  html`<section class="card" aria-label="${phrases.looks}">${renderRows(form, themeNames, phrases)}</section>`

function renderForm({ words, language }: ConsolePage, { id, form, mark, stored }: LooksView & { id: string }): Markup {
  const phrases = brandingWords[language]
  const { fields, hints, modes } = phrases
  const field = (name: ThemeName, more: { maxLength?: number } = {}) =>
    renderField({ name, label: fields[name], value: form[name], ...(hints[name] && { hint: hints[name] }), ...more })
  const colour = (name: 'primaryColor' | 'secondaryColor') =>
    html`<div class="colour">${field(name, { maxLength: 9 })}<input type="color" hidden data-for="${name}" aria-label="${phrases.pick(fields[name])}"></div>`
  const isOpen = otherNames.some((name) => form[name] !== '')
  return html`${stored && renderStored(form, stored, phrases)}
<form class="card" method="post" action="${getBrandingAddress(id)}" aria-label="${phrases.looks}" data-previews="${shownNames.join(' ')}"><input type="hidden" name="mark" value="${mark}">
<div class="pair">${field('title')}
${renderSelect(
  { name: 'mode', label: fields.mode },
  renderOptions(
    (['system', 'light', 'dark'] as const).map((mode) => [mode === 'system' ? '' : mode, modes[mode]] as const),
    form.mode === 'system' ? '' : form.mode,
  ),
)}</div>
${field('logoUrl', { maxLength: 2_048 })}
<div class="pair">${colour('primaryColor')}${colour('secondaryColor')}</div>
<details class="more"${isOpen && html` open`}><summary>${phrases.others}</summary>
<p class="quiet">${phrases.othersText}</p>
<div class="pair">${field('bgImageUrl', { maxLength: 2_048 })}${field('googleFont', { maxLength: 64 })}</div></details>
<div class="buttons"><button class="small plain" name="act" value="preview">${phrases.preview}</button>
<button class="small" name="act" value="save">${words.list.save}</button></div></form>`
}

/** Renders what is stored now where a form says something else, for whoever has to choose between the two. */
function renderStored(form: BrandingForm, stored: BrandingForm, phrases: BrandingWords): Markup {
  const names = themeNames.filter((name) => form[name] !== stored[name])
  return html`<section class="card" aria-labelledby="stored"><h2 id="stored">${phrases.storedHead}</h2>
${renderRows(stored, names, phrases)}</section>`
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

function renderPreviews(id: string, form: BrandingForm, phrases: BrandingWords): Markup {
  return html`<h2>${phrases.previews}</h2>
<p>${phrases.previewsText}</p>
<div class="phones">${previewNames.map((name) => {
    const title = phrases.previewNames[name]
    const address = getPreviewAddress(id, name, form)
    return html`<figure class="phone"><figcaption><a href="${address}">${title}</a></figcaption>
<div><iframe src="${address}" title="${title}" sandbox="allow-same-origin" loading="lazy" data-preview="${getPreviewPath(id, name)}"></iframe></div></figure>
`
  })}</div>`
}
