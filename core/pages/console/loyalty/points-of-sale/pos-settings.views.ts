import type { PosSettings } from '../../../../features/loyalty/index.ts'
import { createValidationProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderField, renderRefusal } from '../../frame/forms.views.ts'
import type { ApplicationChoice } from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { pointsOfSalePath } from './points-of-sale.views.ts'

/** The most restaurants of an integration. */
const maxRestaurants = 100

export const posSettingsPath = `${pointsOfSalePath}/settings`

/** What the form of the settings has in its fields. The secrets are empty unless they are to change. */
export interface PosSettingsForm {
  baseUrl: string
  apiKey: string
  webhookSecret: string
  /** A line a restaurant: its id; the application; the point of sale, which may be empty. */
  restaurants: string
}

/** What the lines of restaurants may name, by id or by name. */
export interface Choices {
  applications: readonly ApplicationChoice[]
  pointsOfSale: readonly { id: string; name: string; application: string }[]
}

type Restaurants = PosSettings['restaurants']

/** Formats restaurants as lines, with names where there are some. */
export function formatRestaurants(restaurants: Restaurants, { applications, pointsOfSale }: Choices): string {
  const nameOf = (all: readonly { id: string; name: string }[], id: string) =>
    all.filter(({ name }) => name === all.find((one) => one.id === id)?.name).length === 1
      ? all.find((one) => one.id === id)!.name
      : id
  return restaurants
    .map(({ restaurantId, application, pointOfSale }) =>
      [
        restaurantId,
        nameOf(applications, application),
        ...(pointOfSale === undefined ? [] : [nameOf(pointsOfSale, pointOfSale)]),
      ].join('; '),
    )
    .join('\n')
}

/**
 * Parses lines of restaurants. @throws VALIDATION_FAILED at the paths of the API's operation, for a line without an
 * application, and for names that are not known
 */
export function parseRestaurants(text: string, { applications, pointsOfSale }: Choices): Restaurants {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length > maxRestaurants)
    throw createValidationProblem([
      { path: 'restaurants', code: 'max_items', message: `are more than ${maxRestaurants}` },
    ])
  const parsed = lines.map((line, at) => {
    const [restaurantId = '', applicationName = '', placeName = ''] = line.split(';').map((cell) => cell.trim())
    const application = findNamed(applications, applicationName)
    const own = pointsOfSale.filter((one) => one.application === application?.id)
    const pointOfSale = placeName === '' ? undefined : findNamed(own, placeName)
    const path = `restaurants.${at}`
    const unknown = (member: string) => ({ path: `${path}.${member}`, code: 'unknown', message: 'is not known' })
    const issues = [
      ...(restaurantId === '' || restaurantId.length > 200 ? [unknown('restaurantId')] : []),
      ...(application ? [] : [unknown('application')]),
      ...(application && placeName !== '' && !pointOfSale ? [unknown('pointOfSale')] : []),
    ]
    return {
      issues,
      restaurant: {
        restaurantId,
        application: application?.id ?? '',
        ...(pointOfSale && { pointOfSale: pointOfSale.id }),
      },
    }
  })
  const issues = parsed.flatMap((one) => one.issues)
  if (issues.length > 0) throw createValidationProblem(issues)
  return parsed.map(({ restaurant }) => restaurant)
}

function findNamed<T extends { id: string; name: string }>(all: readonly T[], text: string): T | undefined {
  const wanted = text.toLowerCase()
  return all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name.toLowerCase() === wanted)
}

interface SettingsView {
  words: ConsoleWords
  settings: PosSettings
  problem: ProblemError | undefined
  isSaved: boolean
  /** Whether nothing was saved because the POS does not answer. */
  isAway: boolean
}

/** Renders the settings of the restaurant POS. Secrets are never shown. */
export function renderPosSettings(form: PosSettingsForm, view: SettingsView): Markup {
  const { words, settings, problem, isSaved, isAway } = view
  const { pointsOfSale: phrases, list } = words
  const { baseUrl, apiKey, webhookSecret } = phrases
  return html`<p><a href="${pointsOfSalePath}">${phrases.all}</a></p>
<h1>${phrases.settingsTitle}</h1>
<p>${phrases.settingsUse}</p>
${isSaved && html`<p role="status">${phrases.saved}</p>`}
${isAway && html`<p class="bad" role="alert">${phrases.away}</p>`}
${renderRefusal(problem, words, { baseUrl, apiKey, webhookSecret, restaurants: phrases.restaurants, ...labelLines(problem, phrases) })}
<form class="card" method="post" action="${posSettingsPath}" autocomplete="off">
${renderField({ name: 'baseUrl', label: baseUrl, value: form.baseUrl, type: 'url', maxLength: 500 })}
${renderField({ name: 'apiKey', label: apiKey, value: '', type: 'password', maxLength: 500, ...(settings.hasApiKey && { hint: phrases.apiKeyKept }) })}
${renderField({ name: 'webhookSecret', label: webhookSecret, value: '', type: 'password', maxLength: 500, hint: settings.hasWebhookSecret ? phrases.secretKept : phrases.secretUse })}
<div class="field"><label for="restaurants">${phrases.restaurants}</label>
<textarea id="restaurants" name="restaurants" rows="6" aria-describedby="restaurants-use" spellcheck="false">${form.restaurants}</textarea>
<p class="quiet" id="restaurants-use">${phrases.restaurantsUse}${settings.restaurants.length === 0 && html` ${phrases.none}`}</p></div>
<button>${list.save}</button>
</form>
${renderAddresses(settings, phrases)}`
}

/** Names the lines in which restaurants were refused. */
const labelLines = (problem: ProblemError | undefined, { line }: ConsoleWords['pointsOfSale']) =>
  Object.fromEntries(
    (problem?.errors ?? []).flatMap(({ path }) => {
      const [, at] = /^restaurants\.(\d+)\./.exec(path) ?? []
      return at === undefined ? [] : [[path, line(Number(at) + 1)] as const]
    }),
  )

/** The addresses that are entered in the POS, each in a field that can be selected as a whole. */
const renderAddresses = (
  { webhookUrls }: PosSettings,
  phrases: ConsoleWords['pointsOfSale'],
): Markup => html`<section class="card" aria-label="${phrases.webhooks}"><h2>${phrases.webhooks}</h2>
${
  webhookUrls
    ? (['orderEnded', 'orderRefunded'] as const).map(
        (name) => html`<div class="field"><label for="${name}">${phrases[name]}</label>
<input id="${name}" readonly value="${webhookUrls[name]}"></div>`,
      )
    : html`<p class="quiet">${phrases.closed}</p>`
}</section>`
