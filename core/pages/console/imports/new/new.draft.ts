import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { RequestDetails } from '../../../../kernel/operation.ts'
import type { Work } from '../../../../kernel/work.ts'
import { findDraft, type Draft } from '../../../../features/imports/index.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { newImportPath } from '../imports.views.ts'
import { renderGonePage } from './new.views.ts'
import { importWords } from '../words.ts'

export const getStepAddress = (upload: string, step = '') => `${newImportPath}/${upload}${step}`
export const redirectTo = (address: string) => answerRedirect(address, undefined, 303)

/** A step of a new import, and the file that it is about. */
export interface OpenedDraft {
  page: ConsolePage
  draft: Draft
}

interface StepInput {
  caller: Caller
  params: { upload: string }
  request: RequestDetails
  work: Work
}

/** Opens a step of a new import, or answers what is missing. @param step the end of its path */
export async function openDraft(
  { params: { upload }, ...input }: StepInput,
  step: '' | '/mapping' | '/preview' = '',
): Promise<OpenedDraft | Answer> {
  const page = openPage(input, getStepAddress(upload, step), 'dpp:create')
  if (isAnswer(page)) return page
  const draft = await findDraft(page.work.context.db, page.member.organization, upload)
  if (draft && draft.entityName === undefined) return { page, draft }
  // A file that is gone has no page to come back to.
  const gone = { ...page, here: newImportPath }
  return renderFramed(
    gone,
    { title: importWords[page.language].goneTitle, status: 404 },
    renderGonePage(importWords[page.language]),
  )
}
