import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { listSheetChoices, severities, summarizeReadiness } from '../../../../features/dpp/index.ts'
import { isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { ProblemError } from '../../../../kernel/problem.ts'
import { oneOf, optional } from '../../../../kernel/schema.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { isGiven, textField } from '../../frame/lists.ts'
import { createListRequest, filterFields, pickFilters } from '../list/filters.ts'
import { readinessPath, renderReadinessSummary, type ReadinessChoice } from './readiness.views.ts'
import { readinessWords } from './words.ts'

/**
 * Which rules the passports break that the filters find, as those of the list; with a rule, the passports that break it.
 */
const readinessOperation = declareOperation({
  id: 'console_passports_readiness_page_v1',
  method: 'GET',
  path: readinessPath,
  ...memberPageOptions,
  query: {
    ...filterFields,
    severity: optional(oneOf(severities, 'The least severe findings to tell.', { default: 'info' })),
    rule: textField('Only this rule, with its passports.', { pattern: '^[a-z0-9_]*$', maxLength: 100 }),
  },
  document: { tag: 'Pages', summary: 'Readiness of passports by rule' },
}).withReadHandler(async (input) => {
  const page = openPage(input, readinessPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { severity = 'info', rule } = input.query
  const choice = { query: pickFilters(input.query), severity, rule: isGiven(rule) ? rule : null }
  return showReadiness(page, choice, input.request.signal)
})

async function showReadiness(page: ConsolePage, choice: ReadinessChoice, signal: AbortSignal): Promise<Answer> {
  const { member, work, language } = page
  const [applications, sheets] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listSheetChoices(work.trx, member.organization),
  ])
  const summary = await orTooMany(() =>
    summarizeReadiness(work, member, createListRequest(choice.query, sheets), choice, signal),
  )
  const problem = summary instanceof ProblemError ? summary : undefined
  const content = renderReadinessSummary(page, choice, {
    applications,
    summary: summary instanceof ProblemError ? null : summary,
  })
  return renderFramed(page, { title: readinessWords[language].title, ...getProblemStatus(problem) }, content)
}

/** Returns the problem instead of a summary if there are more passports than are judged at once. */
async function orTooMany<T>(act: () => Promise<T>): Promise<T | ProblemError> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof ProblemError && cause.errors?.some(({ code }) => code === 'too_many')) return cause
    throw cause
  }
}

export const passportReadinessPages: Operation[] = [readinessOperation]
