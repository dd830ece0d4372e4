import { sheetStatuses, type FieldDefinition, type Sheet, type SheetStats } from '../../../features/dpp/index.ts'
import { listTexts } from '../../../kernel/text/localized.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderInstant, renderTable, type TableColumn } from '../frame/lists.views.ts'
import { getSheetAddress, renderFigures, renderStatus, sheetsPath } from './sheets.views.ts'
import { sheetWords, type SheetWords } from './words.ts'

/** The maximum number of fields of a list that the page shows, and of characters of a value. */
const maxShown = { fields: 60, characters: 200 } as const

/** What the page of a sheet shows, and what the member who looks at it may do. */
export interface SheetView {
  stats: SheetStats
  application: string
  /** The published passport that was changed last; null if there is none. */
  passport: string | null
  mayCreate: boolean
  mayUpdate: boolean
  mayDelete: boolean
}

export const isMintable = ({ status }: Sheet): boolean => status === 'ACTIVE' || status === 'UNLISTED'

/** Renders one sheet: what it says, what became of its passports, and what can be done. */
export function renderSheet(page: ConsolePage, sheet: Sheet, view: SheetView): Markup {
  const { language, words } = page
  const phrases = sheetWords[language]
  const at = (step: string) => getSheetAddress(sheet.id, step)
  const canMint = view.mayCreate && isMintable(sheet) && sheet.passportsFields.length > 0
  const canAdd = view.mayCreate && isMintable(sheet)
  const isWaiting = view.mayUpdate && sheet.status === 'DRAFT'
  const paths = sheet.certifiedPaths.filter((path) => !isFieldName(sheet, path))
  return html`<p><a href="${sheetsPath}">${phrases.all}</a></p>
<h1>${sheet.name}</h1>
<p role="status">${renderStatus(sheet.status, phrases)} ${phrases.stateUses[sheet.status]}${isWaiting && ` ${phrases.draftNext}`}</p>
${
  (isWaiting || canAdd || view.mayUpdate)
  && html`<p class="buttons">${isWaiting && html`<a class="button small" href="${at('/status')}?to=ACTIVE">${phrases.moves.ACTIVE}</a>`}
${canMint && html`<a class="button small" href="${at('/mint')}">${phrases.mint}</a>`}
${canAdd && html`<a class="button small plain" href="/console/passports/new?sheet=${sheet.id}">${phrases.newPassport}</a><a class="button small plain" href="/console/imports/new">${phrases.importFile}</a>`}
${view.mayUpdate && html`<a class="button small plain" href="${at('/edit')}">${phrases.edit}</a><a class="button small plain" href="${at('/values')}">${phrases.values}</a>`}</p>`
}
<h2>${phrases.statistics}</h2>
${renderFigures(view.stats, language, sheet.id)}
<p><a href="/console/passports?sheet=${sheet.id}">${phrases.passports}</a></p>
<h2>${phrases.page}</h2>
<p>${
    view.passport === null
      ? phrases.pageNone
      : html`${phrases.pageText} <a href="/p/${view.passport}">${phrases.pageLink}</a>`
  }</p>
<h2>${phrases.passportFields}</h2>
${renderFields(phrases.passportFields, sheet.passportsFields, sheet, phrases)}
<h2>${phrases.productFields}</h2>
${renderFields(phrases.productFields, sheet.productFields, sheet, phrases, sheet.fields)}
${paths.length > 0 && html`<p>${phrases.otherCertified}: ${paths.slice(0, maxShown.fields).map((path, index) => html`${index > 0 && ', '}<code>${path}</code>`)}</p>`}
<section class="card" aria-label="${phrases.identifier}"><dl>
<div><dt>${words.list.application}</dt><dd>${view.application}</dd></div>
<div><dt>${words.list.network}</dt><dd>${sheet.network}</dd></div>
<div><dt>${phrases.version}</dt><dd>${sheet.version}</dd></div>
<div><dt>${phrases.created}</dt><dd>${renderInstant(sheet.createdAt)}</dd></div>
<div><dt>${phrases.changed}</dt><dd>${renderInstant(sheet.updatedAt)}</dd></div>
<div><dt>${phrases.identifier}</dt><dd><code>${sheet.id}</code></dd></div></dl></section>
${view.mayUpdate && renderMoves(sheet, view.stats, phrases)}
${view.mayDelete && html`<p class="actions"><a href="${at('/delete')}">${phrases.delete}</a></p>`}`
}

const isFieldName = ({ productFields, passportsFields }: Sheet, path: string): boolean =>
  [...productFields, ...passportsFields].some(({ name }) => name === path)

const renderMoves = ({ id, status }: Sheet, { minted }: SheetStats, phrases: SheetWords): Markup =>
  html`<section aria-labelledby="state"><h2 id="state">${phrases.stateHead}</h2>
<p class="actions">${sheetStatuses
    .filter((each) => each !== status && (each !== 'DRAFT' || minted === 0))
    // A draft is activated with the button at the top of its page.
    .filter((each) => status !== 'DRAFT' || each !== 'ACTIVE')
    .map(
      (each) => html`<a href="${getSheetAddress(id, '/status')}?to=${each}">${phrases.moves[each]}</a> `,
    )}</p></section>`

function renderFields(
  title: string,
  definitions: readonly FieldDefinition[],
  { certifiedPaths }: Sheet,
  phrases: SheetWords,
  values?: Readonly<Record<string, unknown>>,
): Markup {
  if (definitions.length === 0) return html`<p>${phrases.noFields}</p>`
  const columns: TableColumn<FieldDefinition>[] = [
    {
      head: phrases.field,
      cell: ({ name, label }) =>
        label === undefined || label === ''
          ? html`<code>${name}</code>`
          : html`${listTexts(label).join(' · ')}<br><code>${name}</code>`,
    },
    { head: phrases.kind, cell: ({ type }) => phrases.types[type] },
    ...(values
      ? [{ head: phrases.value, cell: ({ name }: FieldDefinition) => formatValue(values[name], phrases) }]
      : []),
    {
      head: phrases.notes,
      cell: ({ name, required, variants }) =>
        [
          required === true && phrases.required,
          certifiedPaths.includes(name) && phrases.certified,
          variants && truncate(variants.join(', ')),
        ]
          .filter(Boolean)
          .join('; '),
    },
  ]
  const rest = definitions.length - maxShown.fields
  return html`${renderTable(title, columns, definitions.slice(0, maxShown.fields))}
${rest > 0 && html`<p class="quiet">${phrases.more(rest)}</p>`}`
}

const truncate = (text: string): string =>
  text.length <= maxShown.characters ? text : `${text.slice(0, maxShown.characters)}…`

const formatValue = (value: unknown, phrases: SheetWords): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? phrases.yes : phrases.no
  return truncate(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
