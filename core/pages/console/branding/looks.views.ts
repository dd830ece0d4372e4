import {
  fontFamilies,
  lookNames,
  sectionNames,
  textLengths,
  textNames,
  type Scheme,
} from '../../../features/applications/index.ts'
import { languages, words as siteWords } from '../../../languages/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderOptions } from '../frame/lists.views.ts'
import {
  getFieldPath,
  getTextField,
  getTextPath,
  listFields,
  plainNames,
  fieldNames,
  type BrandingForm,
  type ListName,
  type PlainName,
} from './branding.form.ts'
import { getBrandingAddress } from './previews.ts'
import { brandingWords, type BrandingWords } from './words.ts'

/** The form of the looks. */
export interface LooksView {
  form: BrandingForm
  /** What the looks were like when the form was made. */
  mark: string
  /** What is stored, if somebody has changed it since the form was opened. */
  stored: BrandingForm | null
}

/** Returns what the paths of a theme are called in the form. */
export const createLabels = (phrases: BrandingWords, language: ConsoleLanguage): Record<string, string> => ({
  ...Object.fromEntries(plainNames.map((name) => [getFieldPath(name), phrases.fields[name]])),
  [getFieldPath('sections')]: phrases.order,
  [getFieldPath('languages')]: phrases.languages,
  ...Object.fromEntries(
    languages.flatMap((tag) =>
      textNames.map((name) => [getTextPath(name, tag), `${phrases.texts[name]} (${nameLanguage(tag, language)})`]),
    ),
  ),
})

const nameLanguage = (tag: (typeof languages)[number], language: ConsoleLanguage): string =>
  tag === language ? siteWords[tag].name : `${siteWords[tag].name}, ${tag}`

/** Returns the choice that stands for a mode; without one, and with the names of that, the visitor's device decides. */
const getModeChoice = (mode: string): '' | Scheme => (mode === 'light' || mode === 'dark' ? mode : '')

/** Names every field of the form, with what it says in words; a field that is not set has none. */
function listRows(form: BrandingForm, language: ConsoleLanguage): [field: string, label: string, value: string][] {
  const phrases = brandingWords[language]
  const join = (name: ListName, say: (element: string) => string) =>
    listFields[name].flatMap((field) => (form[field] ? [say(form[field])] : [])).join(', ')
  const formatPlain = (name: PlainName): string => {
    const value = form[name] ?? ''
    if (name === 'mode') return phrases.modes[getModeChoice(value) || 'auto']
    if (name === 'look') return phrases.lookNames[value as keyof typeof phrases.lookNames] ?? value
    return name === 'hideFooter' && value !== '' ? phrases.footers[value === 'true' ? 'hidden' : 'shown'] : value
  }
  return [
    ...plainNames.map((name): [string, string, string] => [name, phrases.fields[name], formatPlain(name)]),
    ['sections', phrases.order, join('sections', (one) => phrases.sections[one as keyof typeof phrases.sections])],
    ['languages', phrases.languages, join('languages', (one) => one)],
    ...languages.flatMap((tag) =>
      textNames.map((name): [string, string, string] => {
        const field = getTextField(name, tag)
        return [field, `${phrases.texts[name]} (${nameLanguage(tag, language)})`, form[field] ?? '']
      }),
    ),
  ]
}

const renderRows = (rows: readonly [string, string, string][], notSet: string): Markup =>
  html`<dl>${rows.map(([, label, value]) => html`<div><dt>${label}</dt><dd>${value || notSet}</dd></div>`)}</dl>`

/** Renders the looks for those who may only see them: texts only where there are some. */
export function renderValues(form: BrandingForm, language: ConsoleLanguage): Markup {
  const { looks, notSet } = brandingWords[language]
  const rows = listRows(form, language).filter(([field, , value]) => value !== '' || !field.includes('.'))
  return html`<section class="card" aria-label="${looks}">${renderRows(rows, notSet)}</section>`
}

/** Renders the form: the finished looks to start from, what makes the looks, the order of sections, and the texts. */
export function renderLooksForm(
  { words, language }: ConsolePage,
  { id, form, mark, stored }: LooksView & { id: string },
): Markup {
  const phrases = brandingWords[language]
  const { fields, hints, modes, footers } = phrases
  const read = (name: string) => form[name] ?? ''
  const field = (name: PlainName, more: { maxLength?: number } = {}) =>
    renderField({ name, label: fields[name], value: read(name), ...(hints[name] && { hint: hints[name] }), ...more })
  const choice = (name: PlainName, choices: readonly (readonly [string, string])[], chosen = read(name)) =>
    renderSelect(
      { name, label: fields[name], ...(hints[name] && { hint: hints[name] }) },
      renderOptions(choices, chosen),
    )
  const colour = (name: 'primaryColor' | 'secondaryColor') =>
    html`<div class="colour">${field(name, { maxLength: 9 })}<input type="color" hidden data-for="${name}" aria-label="${phrases.pick(fields[name])}"></div>`
  // A family that is no longer offered stays, until another one is chosen.
  const fonts = [...new Set(['', ...fontFamilies, read('googleFont')])].map(
    (family) => [family, family === '' ? phrases.usualFont : family] as const,
  )
  return html`${stored && renderStored(form, stored, language)}
<form class="card" method="post" action="${getBrandingAddress(id)}" aria-label="${phrases.looks}" data-previews="${fieldNames.join(' ')}" data-language="${language}"><input type="hidden" name="mark" value="${mark}">
<button class="away" name="act" value="preview" tabindex="-1" aria-hidden="true">${phrases.preview}</button>
<fieldset><legend>${phrases.starts}</legend><p class="quiet">${phrases.startsText}</p>
<div class="buttons">${lookNames.map((name) => html`<button class="small plain" name="act" value="${name}">${phrases.lookNames[name]}</button>`)}</div></fieldset>
<div class="pair">${field('title')}${field('logoUrl', { maxLength: 2_048 })}</div>
<div class="pair">${choice('look', [['', phrases.ownLook], ...lookNames.map((name) => [name, phrases.lookNames[name]] as const)])}
${choice('googleFont', fonts)}</div>
<div class="pair">${choice(
    'mode',
    (['', 'light', 'dark'] as const).map((mode) => [mode, modes[mode || 'auto']] as const),
    getModeChoice(read('mode')),
  )}${choice('hideFooter', [
    ['', footers.usual],
    ['true', footers.hidden],
    ['false', footers.shown],
  ])}</div>
<div class="pair">${colour('primaryColor')}${colour('secondaryColor')}</div>
${field('bgImageUrl', { maxLength: 2_048 })}
${renderList('sections', { legend: phrases.order, hint: phrases.orderText, choices: sectionNames.map((name) => [name, phrases.sections[name]] as const) }, form, phrases)}
${renderList('languages', { legend: phrases.languages, hint: phrases.languagesText, choices: languages.map((tag) => [tag, siteWords[tag].name] as const) }, form, phrases)}
<h2>${phrases.textsHead}</h2>
<p class="quiet">${phrases.textsText}</p>
${languages.map((tag) => renderTexts(tag, form, language))}
<div class="buttons"><button class="small plain" name="act" value="preview">${phrases.preview}</button>
<button class="small" name="act" value="save">${words.list.save}</button></div></form>`
}

interface ListView {
  legend: string
  hint: string
  choices: readonly (readonly [string, string])[]
}

/** Renders the elements of a list, each as a choice, with one more than there are; folded until there is one. */
function renderList(
  name: ListName,
  { legend, hint, choices }: ListView,
  form: BrandingForm,
  phrases: BrandingWords,
): Markup {
  const count = listFields[name].filter((field) => form[field]).length
  const shown = listFields[name].slice(0, Math.max(5, count + 1))
  return html`<details class="more"${count > 0 && html` open`}><summary>${legend}</summary>
<fieldset><legend class="away">${legend}</legend><p class="quiet">${hint}</p>
<div class="filters">${shown.map(
    (field, at) =>
      html`<p><label for="${field}">${phrases.place(at + 1)}</label><select id="${field}" name="${field}">${renderOptions([['', '–'], ...choices], form[field] ?? '')}</select></p>`,
  )}</div></fieldset></details>`
}

/** Renders the texts of the brand in a language; those in the language of the member are open. */
function renderTexts(tag: (typeof languages)[number], form: BrandingForm, language: ConsoleLanguage): Markup {
  const { texts, textHints } = brandingWords[language]
  const isOpen = tag === language || textNames.some((name) => form[getTextField(name, tag)])
  return html`<details class="more"${isOpen && html` open`}><summary lang="${tag}">${siteWords[tag].name}</summary>
${textNames.map((name) => {
  const field = getTextField(name, tag)
  const hint = textHints[name]
  return html`<div class="field"><label for="${field}">${texts[name]}</label>
<textarea id="${field}" name="${field}" rows="${name === 'tagline' ? 1 : 3}" maxlength="${textLengths[name]}" lang="${tag}" aria-describedby="${field}-use">
${form[field] ?? ''}</textarea>
<p class="quiet" id="${field}-use">${hint}</p></div>`
})}</details>`
}

/** Renders what is stored now where a form says something else, for whoever has to choose between the two. */
function renderStored(form: BrandingForm, stored: BrandingForm, language: ConsoleLanguage): Markup {
  const phrases = brandingWords[language]
  const written = listRows(form, language)
  const rows = listRows(stored, language).filter(([, , value], at) => value !== written[at]?.[2])
  return html`<section class="card" aria-labelledby="stored"><h2 id="stored">${phrases.storedHead}</h2>
${renderRows(rows, phrases.notSet)}</section>`
}
