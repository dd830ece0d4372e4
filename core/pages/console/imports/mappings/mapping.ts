import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  deleteMapper,
  listImports,
  previewMapperDeletion,
  readMapper,
  runMapper,
  updateMapper,
  type Mapper,
} from '../../../../features/imports/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import { createProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, optional, string } from '../../../../kernel/schema.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { assertPermission, may, memberPageOptions } from '../../console.ts'
import { addRefusals, getRefusal, renderQuestion } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { createFilter, createPageRequest } from '../../frame/lists.ts'
import { computeMark, createMarkCheck } from '../../frame/marks.ts'
import { importsPath } from '../imports.views.ts'
import { createMappingPatch, mappingFields, pickContent, toForm, type MappingForm } from './form.ts'
import { renderMapping } from './mapping.views.ts'
import { getMappingAddress as getAddress, mappingsPath } from './mappings.views.ts'
import { mappingWords } from './words.ts'

/** The number of imports of one mapping that its page shows. */
const maxRuns = 10

const path = `${mappingsPath}/:id` as const

/** One mapping: where its columns go, its imports, and the form for those who may change it. */
const readOperation = declareOperation({
  id: 'console_mapping_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { saved: optional(string('Whether a change has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'One saved mapping' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  return isAnswer(page) ? page : renderOne(page, id, { isSaved: input.query.saved !== undefined })
})

interface ShownState {
  isSaved?: boolean
  problem?: ProblemError
  /** A form that was refused, with the mark that it had. */
  written?: { form: MappingForm; mark: string }
}

/** The mappings of an entity need the permissions for its records. */
const mayDo = ({ member }: ConsolePage, { entityName }: Mapper, action: 'update' | 'delete'): boolean =>
  may(member, `${getRecordSink(entityName).resource}:${action}`)

async function renderOne(page: ConsolePage, id: string, state: ShownState): Promise<Answer> {
  const { member, work } = page
  const mapper = await readMapper(work, id)
  const filters = [...createFilter('name', 'eq', 'batch'), ...createFilter('data.mapperId', 'eq', mapper.id)]
  const request = createPageRequest(filters, { sorter: { field: 'createdAt', order: 'desc' } })
  const [applications, runs] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listImports(work, member, { ...request, pageSize: maxRuns }),
  ])
  const { problem, written, isSaved = false } = state
  const present = toForm(mapper)
  const isStale = problem?.code === 'PRECONDITION_FAILED'
  const content = renderMapping(page, {
    mapper,
    application: applications.find((one) => one.id === mapper.application)?.name ?? '',
    runs: runs.data,
    form: written?.form ?? present,
    mark: written && !isStale ? written.mark : computeMark(pickContent(mapper)),
    stored: isStale ? present : null,
    mayUpdate: mayDo(page, mapper, 'update'),
    mayDelete: mayDo(page, mapper, 'delete'),
    isSaved,
    problem,
  })
  return renderFramed(page, { title: mapper.name, ...getProblemStatus(problem) }, content)
}

const updateOperation = declareOperation({
  id: 'console_mapping_update_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object(mappingFields),
  document: { tag: 'Pages', summary: 'Change a saved mapping' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  if (isAnswer(page)) return page
  const { mark = '', ...sent } = input.body
  const form = { name: '', url: '', schedule: '', onDuplicate: '', ...sent }
  const mapper = await openMapper(page, id, 'update')
  try {
    const patch = createMappingPatch(mapper, form)
    return await input.finish(async (work) => {
      await updateMapper(work, id, patch, createMarkCheck(mark, pickContent))
      return answerRedirect(`${getAddress(id)}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    return renderOne(page, id, { problem: getRefusal(cause), written: { form, mark } })
  }
})

/** Reads a mapping with which the member may do something. @throws NOT_FOUND, AUTH_INSUFFICIENT_PERMISSIONS */
async function openMapper(page: ConsolePage, id: string, action: 'update' | 'delete'): Promise<Mapper> {
  const mapper = await readMapper(page.work, id)
  assertPermission(page.member, `${getRecordSink(mapper.entityName).resource}:${action}`)
  return mapper
}

/** What a question says, and where the answer goes. */
interface QuestionTexts {
  title: string
  button: string
  consequences: readonly (string | false)[]
  act: '/run' | '/delete'
}

function ask(page: ConsolePage, id: string, { act, ...texts }: QuestionTexts, problem?: ProblemError): Promise<Answer> {
  const { codes, issues } = mappingWords[page.language]
  const question = { ...texts, action: getAddress(id, act), back: getAddress(id), problem }
  return renderFramed(
    page,
    { title: texts.title, wide: false, ...getProblemStatus(problem) },
    renderQuestion(question, addRefusals(page.words, codes, issues)),
  )
}

async function askRun(page: ConsolePage, mapper: Mapper, problem?: ProblemError): Promise<Answer> {
  const phrases = mappingWords[page.language]
  const { id, name, url, onDuplicate } = mapper
  if (url === null) throw createProblem('IMPORT_MAPPER_NOT_URL', phrases.codes['IMPORT_MAPPER_NOT_URL'] ?? '')
  const consequences = [phrases.runFetches(url), phrases.runPolicies[onDuplicate ?? 'skip'], phrases.runNew]
  return ask(page, id, { title: phrases.runTitle(name), button: phrases.run, consequences, act: '/run' }, problem)
}

/** The page that says what a fetch does. */
const runQuestion = declareOperation({
  id: 'console_mapping_run_question_v1',
  method: 'GET',
  path: `${path}/run`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a mapping fetches' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  return isAnswer(page) ? page : askRun(page, await openMapper(page, id, 'update'))
})

const runOperation = declareOperation({
  id: 'console_mapping_run_page_v1',
  method: 'POST',
  path: `${path}/run`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Fetch and import by a mapping' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  if (isAnswer(page)) return page
  const mapper = await openMapper(page, id, 'update')
  try {
    return await input.finish(async (work) => {
      const { jobId } = await runMapper(work, id)
      return answerRedirect(`${importsPath}/${jobId}`, undefined, 303)
    })
  } catch (cause) {
    return askRun(page, mapper, getRefusal(cause))
  }
})

/** Says what goes with a mapping, after its deletion was tried. */
async function askDeletion(page: ConsolePage, mapper: Mapper, problem?: ProblemError): Promise<Answer> {
  const phrases = mappingWords[page.language]
  const { id, name, schedule, headers } = mapper
  await previewMapperDeletion(page.work, id, () => undefined)
  const consequences = [
    schedule !== null && phrases.deleteSchedule(schedule),
    headers !== null && phrases.deleteHeaders,
    phrases.deleteStays,
  ]
  const texts = { title: phrases.deleteTitle(name), button: phrases.delete, consequences, act: '/delete' } as const
  return ask(page, id, texts, problem)
}

/** The page that says what deleting a mapping does. */
const deleteQuestion = declareOperation({
  id: 'console_mapping_delete_question_v1',
  method: 'GET',
  path: `${path}/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a saved mapping is deleted' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  return isAnswer(page) ? page : askDeletion(page, await openMapper(page, id, 'delete'))
})

const deleteOperation = declareOperation({
  id: 'console_mapping_delete_page_v1',
  method: 'POST',
  path: `${path}/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a saved mapping' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  if (isAnswer(page)) return page
  const mapper = await openMapper(page, id, 'delete')
  try {
    return await input.finish(async (work) => {
      await deleteMapper(work, id, () => undefined)
      return answerRedirect(mappingsPath, undefined, 303)
    })
  } catch (cause) {
    return askDeletion(page, mapper, getRefusal(cause))
  }
})

/** The pages about one saved mapping. */
export const mappingPages: Operation[] = [
  readOperation,
  updateOperation,
  runQuestion,
  runOperation,
  deleteQuestion,
  deleteOperation,
]
