import { listPassports, listSheetChoices } from '../../../../features/dpp/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { PageRequest } from '../../../../kernel/page.ts'
import type { DryRun } from '../../../../kernel/dry-run.ts'
import { createProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import {
  createChoiceRequest,
  createListRequest,
  filterFields,
  pickBoxes,
  pickFilters,
  type PassportQuery,
} from '../list/filters.ts'
import { formatTitle, passportsPath, readTitles } from '../list/titles.ts'
import { passportWords } from '../words/words.ts'
import { bulkActs, bulkOperations, previewAct, type BulkAct } from './acts.ts'
import { renderBulkQuestion, renderNothingChosen } from './bulk.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

const bulkPath = `${passportsPath}/bulk`

const bulkFields = {
  act: oneOf(bulkActs, 'What is done with them.'),
  of: oneOf(['chosen', 'all'], 'Whether it is done with the chosen ones, or with all that the filters find.'),
}

/** An act on many passports, and which: those whose boxes were ticked, or all that the filters find. */
export interface BulkWish {
  act: BulkAct
  of: 'chosen' | 'all'
  chosen: readonly string[]
  query: PassportQuery
}

const parseWish = (fields: Readonly<Record<string, unknown>> & Pick<BulkWish, 'act' | 'of'>): BulkWish => ({
  act: fields.act,
  of: fields.of,
  chosen: fields.of === 'chosen' ? pickBoxes(fields) : [],
  query: pickFilters(fields),
})

/** Returns whether an act is about what one import has made: then nothing else comes along. */
const isOfImport = ({ query }: BulkWish): boolean => query.import !== undefined

async function createRequest({ work, member }: ConsolePage, { of, chosen, query }: BulkWish): Promise<PageRequest> {
  if (of === 'chosen') return createChoiceRequest(chosen)
  return createListRequest(query, await listSheetChoices(work.trx, member.organization))
}

/** Names the passports that are shown as those of the list, so that passports of one sheet can be told apart. */
async function nameSamples({ work, member }: ConsolePage, dryRun: DryRun): Promise<DryRun> {
  if (dryRun.samples.length === 0) return dryRun
  const { data } = await listPassports(work, member, createChoiceRequest(dryRun.samples.map(({ id }) => id)))
  const titles = await readTitles(work.trx, data)
  const names = new Map(titles.map((title, at) => [data[at]?.id, formatTitle(title)]))
  return { ...dryRun, samples: dryRun.samples.map(({ id, name }) => ({ id, name: names.get(id) ?? name })) }
}

/** The page that asks first, with the exact number of passports that will be touched. */
const questionOperation = declareOperation({
  id: 'console_passports_bulk_question_v1',
  method: 'GET',
  path: bulkPath,
  ...memberPageOptions,
  query: { ...bulkFields, ...filterFields },
  document: { tag: 'Pages', summary: 'Before an act on many passports' },
}).withReadHandler(async (input) => {
  const page = openPage(input, passportsPath, bulkOperations[input.query.act].permission)
  return isAnswer(page) ? page : askFirst(page, parseWish(input.query), undefined)
})

async function askFirst(page: ConsolePage, wish: BulkWish, refused: ProblemError | undefined): Promise<Answer> {
  const phrases = passportWords[page.language]
  if (wish.of === 'chosen' && wish.chosen.length === 0)
    return renderFramed(
      page,
      { title: phrases.nothingChosen, wide: false, status: 400 },
      renderNothingChosen(page, wish),
    )
  const request = await createRequest(page, wish)
  const { preview } = bulkOperations[wish.act]
  const { dryRun, problem = refused } = await previewAct(
    preview(page.work, page.member, request, { skipCertification: false, isAlone: isOfImport(wish) }),
  )
  const title = phrases.bulkTitles[wish.act](dryRun?.matched ?? 0)
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(
    page,
    options,
    renderBulkQuestion(page, { wish, title, dryRun: dryRun && (await nameSamples(page, dryRun)), problem }),
  )
}

/** Starts the job, unless other passports would be touched than the question said. */
const startOperation = declareOperation({
  id: 'console_passports_bulk_page_v1',
  method: 'POST',
  path: bulkPath,
  ...memberPageOptions,
  body: object(
    {
      ...bulkFields,
      ...filterFields,
      matched: string('How many passports the question named.', { pattern: '^[0-9]{1,6}$' }),
      skipCertification: optional(oneOf(['on'], 'Whether they are only published.')),
    },
    { additionalProperties: string('A passport whose box was ticked.', { maxLength: 3 }) },
  ),
  document: { tag: 'Pages', summary: 'Publish, certify, archive or delete many passports' },
}).withOutboundHandler(async (input) => {
  const { body } = input
  const operation = bulkOperations[body.act]
  const page = openPage(input, passportsPath, operation.permission)
  if (isAnswer(page)) return page
  const wish = parseWish(body as typeof body & Record<string, unknown>)
  if (wish.of === 'chosen' && wish.chosen.length === 0) return askFirst(page, wish, undefined)
  try {
    const request = await createRequest(page, wish)
    return await input.finish(async (work) => {
      const started = await operation.start(work, page.member, request, {
        skipCertification: body.skipCertification === 'on',
        isAlone: isOfImport(wish),
      })
      if (started.matched !== Number(body.matched)) throw createChangedProblem()
      return answerRedirect(`${passportsPath}/jobs/${started.jobId}`, undefined, 303)
    })
  } catch (cause) {
    return askFirst(page, wish, getRefusal(cause))
  }
})

const createChangedProblem = () =>
  createProblem('PRECONDITION_FAILED', 'Other passports match now than a moment ago. Look at the number again.')

/** The pages before and for an act on many passports. */
export const passportBulkPages: Operation[] = [questionOperation, startOperation]
