import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { listSheetChoices, severities, summarizeReadinessPage } from '../../../../features/dpp/index.ts'
import { isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { oneOf, optional } from '../../../../kernel/schema.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { cursorField, isGiven, textField } from '../../frame/lists.ts'
import { createListRequest, filterFields, pickFilters } from '../list/filters.ts'
import { readinessPath, renderReadinessSummary, type ReadinessChoice } from './readiness.views.ts'
import { readinessWords } from './words.ts'

/**
 * Which rules the passports break that the filters find, as those of the list, a page of them at a time; with a rule, the
 * passports that break it.
 */
const readinessOperation = declareOperation({
  id: 'console_passports_readiness_page_v1',
  method: 'GET',
  path: readinessPath,
  ...memberPageOptions,
  query: {
    ...filterFields,
    severity: optional(oneOf(severities, 'The least severe findings to tell.', { default: 'info' })),
    cursor: cursorField,
    rule: textField('Only this rule, with its passports.', { pattern: '^[a-z0-9_]*$', maxLength: 100 }),
  },
  document: { tag: 'Pages', summary: 'Readiness of passports by rule' },
}).withReadHandler(async (input) => {
  const page = openPage(input, readinessPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { severity = 'info', rule, cursor } = input.query
  const choice = { query: pickFilters(input.query), severity, rule: isGiven(rule) ? rule : null, cursor }
  return showReadiness(page, choice, input.request.signal)
})

/** The most passports that a page validates, which takes up to a millisecond for each. */
const passportsPerPage = 50

async function showReadiness(page: ConsolePage, choice: ReadinessChoice, signal: AbortSignal): Promise<Answer> {
  const { member, work, language } = page
  const [applications, sheets] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listSheetChoices(work.trx, member.organization),
  ])
  const request = { ...createListRequest(choice.query, sheets, choice.cursor), pageSize: passportsPerPage }
  const validated = await summarizeReadinessPage(work, member, request, choice, signal)
  const content = renderReadinessSummary(page, choice, { applications, ...validated })
  return renderFramed(page, { title: readinessWords[language].title }, content)
}

export const passportReadinessPages: Operation[] = [readinessOperation]
