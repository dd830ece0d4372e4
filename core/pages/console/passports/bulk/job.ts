import { findJob, presentJob } from '../../../../features/jobs/index.ts'
import { isAnswer } from '../../../../kernel/answer.ts'
import type { JobType } from '../../../../kernel/job.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../../kernel/problem.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed } from '../../frame/frame.ts'
import { passportsPath } from '../list/titles.ts'
import { passportWords } from '../words/words.ts'
import { renderJob } from './job.views.ts'

/** The interval between two reloads of a browser without scripts, in seconds. */
const refreshSeconds = 1

/** The jobs about many passports, which everybody may read who may read passports. */
const passportJobTypes: readonly JobType[] = ['publish', 'certify', 'archive', 'delete', 'mint', 'migrate', 'structure']

/** The page of a job about passports: how far it is, and what it came to. */
const readOperation = declareOperation({
  id: 'console_passports_job_page_v1',
  method: 'GET',
  path: `${passportsPath}/jobs/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A job about many passports' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${passportsPath}/jobs/${input.params.id}`, 'dpp:read')
  if (isAnswer(page)) return page
  const row = await findJob(page.work.trx, input.params.id)
  if (row?.organization !== page.member.organization || !passportJobTypes.includes(row.type))
    throw createNotFoundProblem()
  const phrases = passportWords[page.language]
  const options = {
    title: phrases.jobTitles[row.type] ?? phrases.job,
    wide: false,
    ...(row.status === 'pending' && { refresh: refreshSeconds, script: '/assets/imports.js' }),
  }
  return renderFramed(page, options, renderJob(page, presentJob(row)))
})

export const passportJobPages: Operation[] = [readOperation]
