import type { ImportJob } from '../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderInstant, renderListHead, renderPager, renderWhatNext } from '../frame/lists.views.ts'
import { importWords, type ImportWords } from './words.ts'

/** The pages about imports. */
export const importsPath = '/console/imports'
export const newImportPath = `${importsPath}/new`
/** Where the list of products to try an import with can be downloaded, and used at once. */
export const samplePaths = {
  csv: `${importsPath}/sample.csv`,
  xlsx: `${importsPath}/sample.xlsx`,
  use: `${importsPath}/sample`,
} as const

interface NamedRecord {
  id: string
  name: string
}
export type NamesById = ReadonlyMap<string, string>

/** Returns the name of the mapper of an import; null if it had none. */
export const findMapperName = ({ data: { mapperId } }: ImportJob, names: NamesById, words: ImportWords) =>
  mapperId === null ? null : (names.get(mapperId) ?? words.deletedMapper)

/** Returns the name of an import. */
export function getImportTitle({ data }: ImportJob, words: ImportWords): string {
  if (data.fileName !== undefined) return data.fileName
  if (data.source === 'scheduled' || data.source === 'manual') return words.fetched
  return data.format === null ? words.unnamedFile : words.unnamed(data.format.toUpperCase())
}

function getState({ status, failed, initError, progress }: ImportJob, { states }: ImportWords) {
  if (status === 'failed') return { word: states.failed, tone: ' bad' }
  if (status === 'pending') return { word: progress > 0 ? states.running : states.waiting, tone: '' }
  return failed > 0 || initError !== null ? { word: states.faulty, tone: ' bad' } : { word: states.done, tone: ' good' }
}

/** Renders how far an import is, in a word, and whether it is a dry run. */
export function renderBadges(job: ImportJob, words: ImportWords): Markup {
  const { word, tone } = getState(job, words)
  return html`<span class="badge${tone}">${word}</span>${job.data.dryRun && html` <span class="badge">${words.dryRun}</span>`}`
}

/** Renders how far an import is, as a bar; nothing once it has ended. */
export const renderProgressBar = ({ status, progress, total }: ImportJob, label: string): Markup | false =>
  status === 'pending'
  && html`<progress class="bar" aria-label="${label}"${total > 0 && html` value="${progress}" max="1"`}></progress>`

interface ImportListView {
  imports: readonly ImportJob[]
  total: number
  isFirst: boolean
  /** The address of the next page, or null. */
  next: string | null
  applications: readonly NamedRecord[]
  mappers: NamesById
  mayCreate: boolean
}

/** Renders the list of imports, the newest first. */
export function renderImportList({ language, words }: ConsolePage, view: ImportListView): Markup {
  const { imports, total, isFirst, next, applications, mappers, mayCreate } = view
  const phrases = importWords[language]
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return html`<div class="row"><h1>${phrases.title}</h1>${mayCreate && html`<a class="button small" href="${newImportPath}">${phrases.add}</a>`}</div>
<p><a href="${importsPath}/mappings">${phrases.mappings}</a></p>
${
  total === 0
    ? renderWhatNext(words, phrases.emptyHead, mayCreate ? phrases.emptyStart : phrases.emptyRole)
    : html`<p>${phrases.listIntro}</p>
${renderListHead(phrases.count(total), `${importsPath}.csv`, words)}`
}
${imports.map((job) => renderEntry(job, { language, application: names.get(job.data.applicationId), mapper: findMapperName(job, mappers, phrases) }))}
${renderPager(importsPath, next, { isFirst, words })}`
}

interface EntryView {
  language: ConsoleLanguage
  application: string | undefined
  mapper: string | null
}

function renderEntry(job: ImportJob, { language, application, mapper }: EntryView): Markup {
  const words = importWords[language]
  const title = getImportTitle(job, words)
  const { source } = job.data
  return html`<article class="card">
<div class="row"><h2><a href="${importsPath}/${job.id}">${title}</a></h2><p>${renderBadges(job, words)}</p></div>
<p class="quiet">${renderInstant(job.createdAt)}${application !== undefined && `, ${words.forApplication(application)}`}${mapper !== null && `, ${words.byMapper(mapper)}`}${source === 'scheduled' && `, ${words.bySchedule}`}${source === 'manual' && `, ${words.byHand}`}</p>
<p>${words.rowsDone(formatCount(job.completed, language))}${job.failed > 0 && html`, <span class="bad">${words.rowsFailed(formatCount(job.failed, language))}</span>`}</p>
${renderProgressBar(job, words.progressOf(title))}
</article>`
}
