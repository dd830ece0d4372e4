import { answerRedirect, type Answer } from '../../kernel/answer.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/work.ts'
import { findDraft, type Draft } from '../../features/imports/index.ts'
import { renderConsolePage, assertPermission, getMemberOrRedirect, isRedirect, type ActiveMember } from './console.ts'
import { renderGonePage } from './import-new.views.ts'

export const getStepAddress = (upload: string, step = '') => `/console/imports/new/${upload}${step}`
export const redirectTo = (address: string) => answerRedirect(address, undefined, 303)

export interface OpenedDraft {
  member: ActiveMember
  draft: Draft
}

/** Returns the member and the draft, or the answer that says what is missing. */
export async function openDraft(
  caller: Caller,
  context: Context,
  upload: string,
): Promise<OpenedDraft | { way: Answer }> {
  const member = getMemberOrRedirect(caller, '/console/imports/new')
  if (isRedirect(member)) return { way: member }
  assertPermission(member, 'dpp:create')
  const draft = await findDraft(context.db, member.organization, upload)
  if (draft && draft.entityName === undefined) return { member, draft }
  return {
    way: await renderConsolePage(
      context,
      member,
      { title: 'This file is no longer here', status: 404 },
      renderGonePage(),
    ),
  }
}
