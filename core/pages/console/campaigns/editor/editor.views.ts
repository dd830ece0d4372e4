import { cardChannels, networkNames } from '../../../../features/accounts/index.ts'
import { messageLengths } from '../../../../features/loyalty/index.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderPhones, type DrawnCard } from '../cards/card.views.ts'
import { renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderOptions } from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { campaignsPath } from '../paths.ts'
import { addCampaignRefusals, campaignWords, type CampaignWords } from '../words/words.ts'
import type { AudienceNumbers } from './audience.ts'
import { renderNumbers } from './audience.views.ts'
import {
  channelNames,
  getLocaleBox,
  getTierBox,
  numberNames,
  type CampaignForm,
  type NumberName,
} from './editor.form.ts'

/** The form of a campaign and what it would come to. */
export interface EditorView {
  title: string
  /** What stands above the form. */
  top: Markup | false
  action: string
  application: { id: string; name: string }
  form: CampaignForm
  /** What the campaign was like when the form was opened; null for a new one. */
  mark: string | null
  tiers: readonly { id: string; name: string }[]
  /** The card that is drawn, with the message of the form. */
  card: DrawnCard
  numbers: AudienceNumbers | null
  /** Where the script asks for the numbers. */
  numbersPath: string
  problem: ProblemError | undefined
}

/** What the members of the body are called. */
const createLabels = (phrases: CampaignWords): Record<string, string> => ({
  name: phrases.name,
  description: phrases.description,
  channels: phrases.wallets,
  'content.headline': phrases.headline,
  'content.body': phrases.body,
  ...Object.fromEntries(Object.entries(phrases.fields).map(([name, label]) => [`targeting.${name}`, label])),
  ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`targeting.rewardTiers[${at}]`, phrases.tiers])),
  ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`targeting.locales[${at}]`, phrases.languages])),
})

interface FieldView {
  name: string
  label: string
  value: string
  hint?: string
  isRequired?: boolean
  /** What is wrong with it. */
  fault: Markup | string | undefined
  type?: 'number'
  max?: number
  /** The number of lines; a single one by default. */
  lines?: number
  /** The most characters, which are counted while somebody writes. */
  limit?: number
  countText?: string
  countTemplate?: string
}

/** Renders a field with its hint, its counter, and what is wrong with it. */
function renderControl(field: FieldView): Markup {
  const { name, label, value, hint, isRequired, fault, type, max, lines, limit, countText, countTemplate } = field
  const described = [
    hint !== undefined && `${name}-use`,
    limit !== undefined && `${name}-count`,
    fault !== undefined && `${name}-fault`,
  ].filter((id) => id !== false)
  const attributes = html` id="${name}" name="${name}"${isRequired && html` required`}${fault !== undefined && html` aria-invalid="true"`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}`
  const isLong = limit !== undefined && [...value].length > limit
  return html`<div class="field"><label for="${name}">${label}</label>
${
  lines === undefined
    ? html`<input${attributes}${type === 'number' ? html` type="number" min="0"${max !== undefined && html` max="${max}"`} inputmode="numeric"` : html` type="text" maxlength="400"`} value="${value}">`
    : html`<textarea${attributes} rows="${lines}">${value}</textarea>`
}
${limit !== undefined && html`<p class="${isLong ? 'bad' : 'quiet'}" id="${name}-count" data-count-of="${name}" data-limit="${limit}" data-template="${countTemplate}">${countText}</p>`}
${hint !== undefined && html`<p class="quiet" id="${name}-use">${hint}</p>`}
${fault !== undefined && html`<p class="bad" id="${name}-fault">${fault}</p>`}</div>`
}

/** Creates the function that says what is wrong with a field, by its path. */
function createFaults(problem: ProblemError | undefined, words: ConsoleWords) {
  return (path: string): Markup | string | undefined => {
    const issue = problem?.errors?.find((one) => one.path === path || one.path.startsWith(`${path}[`))
    return issue && (words.issues[issue.code] ?? html`<span lang="en">${issue.message}</span>`)
  }
}

type Faults = ReturnType<typeof createFaults>

/** Renders the form of a draft, with the cards and the numbers that follow it. */
export function renderEditor(page: ConsolePage, view: EditorView): Markup {
  const { language } = page
  const phrases = campaignWords[language]
  const words = addCampaignRefusals(page)
  const { title, top, action, application, form, mark, card, numbers, numbersPath, problem } = view
  const faults = createFaults(problem, words)
  const hidden = form.channels.length > 0 ? cardChannels.filter((channel) => !form.channels.includes(channel)) : []
  return html`<p><a href="${campaignsPath}">${phrases.all}</a></p>
<h1>${title}</h1>
<p>${phrases.forApplication(application.name)}</p>
${top}
${renderRefusal(problem, words, createLabels(phrases))}
<form method="post" action="${action}" data-campaign data-numbers="${numbersPath}">
<input type="hidden" name="application" value="${application.id}">${mark !== null && html`<input type="hidden" name="mark" value="${mark}">`}
<section class="card" aria-labelledby="message"><h2 id="message">${phrases.message}</h2>
${renderMessageFields(form, phrases, faults)}
<h3>${phrases.preview}</h3>
${renderPhones(card, cardChannels, language, hidden)}
<p data-without-script><button class="small plain" name="act" value="show">${phrases.show}</button></p></section>
<section class="card" aria-labelledby="audience"><h2 id="audience">${phrases.audience}</h2>
<p class="quiet">${phrases.audienceHint}</p>
${renderAudienceFields(view, { language, phrases, faults, all: page.words.list.all })}
<h3 id="numbers-head">${phrases.numbers}</h3>
<div role="status" aria-labelledby="numbers-head" data-numbers-here>${renderNumbers(page, numbers)}</div>
<p data-without-script><button class="small plain" name="act" value="show">${phrases.show}</button></p></section>
<p class="buttons"><button class="small" name="act" value="save">${phrases.save}</button></p></form>`
}

function renderMessageFields({ texts, channels }: CampaignForm, phrases: CampaignWords, faults: Faults): Markup {
  const message = (name: 'headline' | 'body', lines?: number) =>
    renderControl({
      name,
      label: phrases[name],
      value: texts[name],
      hint: phrases[`${name}Hint`],
      fault: faults(`content.${name}`),
      limit: messageLengths[name],
      countText: phrases.lengthOf([...texts[name]].length, messageLengths[name]),
      countTemplate: phrases.lengthTemplate(messageLengths[name]),
      ...(lines !== undefined && { lines }),
    })
  const fault = faults('channels')
  return html`${renderControl({ name: 'name', label: phrases.name, value: texts.name, hint: phrases.nameHint, isRequired: true, fault: faults('name') })}
${renderControl({ name: 'description', label: phrases.description, value: texts.description, hint: phrases.descriptionHint, lines: 2, fault: faults('description') })}
<fieldset${fault !== undefined && html` aria-describedby="channels-fault"`}><legend>${phrases.wallets}</legend>
${cardChannels.map((channel) => renderBox(channelNames[channel], phrases.channels[channel], channels.includes(channel)))}
${fault !== undefined && html`<p class="bad" id="channels-fault">${fault}</p>`}</fieldset>
${message('headline')}
${message('body', 4)}`
}

const renderBox = (name: string, label: string, isTicked: boolean): Markup =>
  html`<label class="option"><input type="checkbox" name="${name}" value="yes"${isTicked && html` checked`}>
<span>${label}</span></label>`

/** Languages that can be chosen by their names. Others that a campaign has are added. */
const commonLanguages = 'en fr de it es pt nl da sv fi pl cs hu ro el tr ar zh ja'.split(' ')

interface AudienceReading {
  language: ConsoleLanguage
  phrases: CampaignWords
  faults: Faults
  all: string
}

const maxHoldoutPercent = 50

function renderAudienceFields({ form, tiers }: EditorView, reading: AudienceReading): Markup {
  const { language, phrases, faults } = reading
  const { texts } = form
  const number = (name: NumberName) =>
    renderControl({
      name,
      label: phrases.fields[name],
      value: texts[name],
      type: 'number',
      fault: faults(`targeting.${name}`),
      ...(name === 'holdoutPercent' && { hint: phrases.holdoutHint, max: maxHoldoutPercent }),
    })
  const months = Array.from(
    { length: 12 },
    (_, at) =>
      [
        String(at + 1),
        new Date(Date.UTC(2026, at, 1)).toLocaleDateString(language, { month: 'long', timeZone: 'UTC' }),
      ] as const,
  )
  const networks = networkNames.map((name) => [name, name] as const)
  return html`<div class="pair">${numberNames.slice(0, -1).map(number)}
${renderSelect({ name: 'birthdayMonth', label: phrases.fields.birthdayMonth }, renderOptions([['', phrases.any], ...months], texts.birthdayMonth))}
${renderSelect({ name: 'network', label: phrases.fields.network }, renderOptions([['', phrases.any], ...networks], texts.network))}</div>
${renderTierBoxes(form, tiers, reading)}
${renderLanguageBoxes(form, reading)}
${number('holdoutPercent')}`
}

function renderTierBoxes(
  { tiers: chosen }: CampaignForm,
  tiers: EditorView['tiers'],
  { phrases, faults }: AudienceReading,
): Markup | false {
  const known = new Set(tiers.map(({ id }) => id))
  const all = [
    ...tiers,
    ...chosen.filter((id) => !known.has(id)).map((id) => ({ id, name: `${phrases.deletedTier} …${id.slice(-8)}` })),
  ]
  const fault = faults('targeting.rewardTiers')
  return (
    all.length > 0
    && html`<fieldset><legend>${phrases.tiers}</legend><div class="boxes">${all.map(({ id, name }) => renderBox(getTierBox(id), name, chosen.includes(id)))}</div>
${fault !== undefined && html`<p class="bad">${fault}</p>`}</fieldset>`
  )
}

function renderLanguageBoxes({ locales }: CampaignForm, { language, phrases }: AudienceReading): Markup {
  const names = new Intl.DisplayNames([language], { type: 'language' })
  const tags = [...new Set([...commonLanguages, ...locales])]
  const all = tags
    .map((tag) => ({ tag, name: names.of(tag) ?? tag }))
    .sort((one, other) => one.name.localeCompare(other.name, language))
  return html`<details class="more"${locales.length > 0 && html` open`}><summary>${phrases.languages}</summary>
<fieldset><legend class="away">${phrases.languages}</legend><p class="quiet">${phrases.languagesHint}</p>
<div class="boxes">${all.map(({ tag, name }) => renderBox(getLocaleBox(tag), name, locales.includes(tag)))}</div></fieldset></details>`
}
