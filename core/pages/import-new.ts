import type { Answer } from '../kernel/answer.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { notFound } from '../kernel/problem.ts'
import { object, string } from '../kernel/schema.ts'
import type { Received } from '../kernel/upload.ts'
import type { Work } from '../kernel/work.ts'
import { applicationChoices } from '../features/applications/index.ts'
import {
  changeDraft, fileLimit, keepDraft, mapperChoices, receiveDraft, type Draft, type ReceivedDraft,
} from '../features/imports/index.ts'
import { consolePage, demand, entry, forMembers, isWay, type ActiveMember } from './console.ts'
import { open, to, way } from './import-new.open.ts'
import { stepPages } from './import-new.steps.ts'
import { choicePage, uploadPage } from './import-new.views.ts'
import { sentenceOf } from './imports.views.ts'

/** First step: the file. */
const start = operation({
  id: 'console_import_new_page_v1', method: 'GET', path: '/console/imports/new', summary: 'A new import', ...forMembers,
}).readBy(async ({ caller, work }) => {
  const member = entry(caller, '/console/imports/new')
  if (isWay(member)) return member
  demand(member, 'dpp:create')
  return consolePage(work.context, member, { title: 'New import' }, uploadPage(null))
})

/** What came of an upload: a page that says what was wrong, or a file to decide about. */
type Sent = Received & ({ answer: Answer } | { answer?: undefined; member: ActiveMember; kept: ReceivedDraft })
const nothing: Received = { digest: Buffer.alloc(0), discard: async () => undefined }

/** The file is received as one that is sent to the API, and kept for an hour while its way is decided. */
const uploaded = operation({
  id: 'console_import_upload_page_v1', method: 'POST', path: '/console/imports/new', summary: 'Upload a file',
  ...forMembers,
  upload: { 'multipart/form-data': object({ file: string('The file: CSV, Excel or JSON.', { contentEncoding: 'binary' }) }) },
  bodyLimit: fileLimit, tooLarge: 'IMPORT_TOO_LARGE',
}).receivedBy<Sent>(async ({ caller, context, upload }) => {
  const member = entry(caller, '/console/imports/new')
  if (isWay(member)) return { ...nothing, answer: member }
  demand(member, 'dpp:create')
  try {
    const kept = await receiveDraft({ context, caller: member, upload })
    return { digest: kept.digest, discard: kept.discard, member, kept }
  } catch (error) {
    const wrong = sentenceOf(error)
    if (wrong === null) throw error
    const answer = await consolePage(context, member, { title: 'New import', status: 400 }, uploadPage(wrong))
    return { ...nothing, answer }
  }
}, async ({ received, work }) => {
  if (received.answer) return received.answer
  const { member, kept: { staged, fileName } } = received
  await keepDraft(work.trx, member.organization, staged, fileName)
  return to(way(staged.upload))
})

/** Second step: whose passports they are, and how its columns become passports. */
const choose = operation({
  id: 'console_import_choice_page_v1', method: 'GET', path: '/console/imports/new/:upload',
  summary: 'How a file becomes passports',
  ...forMembers,
}).readBy(async ({ caller, params, work }) => {
  const opened = await open(caller, work.context, params.upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  const [applications, mappers] = await Promise.all([
    applicationChoices(work.trx, member.organization),
    mapperChoices(work.trx, member.organization, draft.dialect.format),
  ])
  const content = choicePage(draft, { applications, mappers })
  return consolePage(work.context, member, { title: 'How the file is read' }, content)
})

const chosen = operation({
  id: 'console_import_choose_page_v1', method: 'POST', path: '/console/imports/new/:upload',
  summary: 'Choose how a file is read',
  ...forMembers,
  body: object({
    application: string('Identifier of the application.', { format: 'uuid' }),
    how: string('suggest, plain, or the identifier of a mapper.', { pattern: '^(suggest|plain|[0-9a-f-]{36})$' }),
  }),
}).handledBy(async ({ body: { application, how }, caller, params: { upload }, work }) => {
  const opened = await open(caller, work.context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (!(await applicationChoices(work.trx, member.organization)).some(({ id }) => id === application)) throw notFound()
  const forget = { rows: null, mapper: null, plain: null, own: null }
  if (how === 'suggest') {
    const same = draft.application === application && draft.rows !== undefined
    await changeDraft(work.trx, member.organization, upload, same ? { plain: null } : { ...forget, application })
    return to(way(upload, '/mapping'))
  }
  const choice = how === 'plain' ? { application, plain: true as const } : await byMapper(work, member, draft, how)
  await changeDraft(work.trx, member.organization, upload, { ...forget, ...choice })
  return to(way(upload, '/preview'))
})

/** A mapper makes passports of its own application. @throws NOT_FOUND for one that does not read such files */
async function byMapper(work: Work, { organization }: ActiveMember, { dialect }: Draft, id: string) {
  const mapper = (await mapperChoices(work.trx, organization, dialect.format)).find((one) => one.id === id)
  if (!mapper) throw notFound()
  return { mapper: mapper.id, application: mapper.application }
}

/** The way of a file from its upload to its import. */
export const newImportPages: Operation[] = [start, uploaded, choose, chosen, ...stepPages]
