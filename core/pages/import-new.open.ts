import { redirect, type Answer } from '../kernel/answer.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Context } from '../kernel/work.ts'
import { findDraft, type Draft } from '../features/imports/index.ts'
import { consolePage, demand, entry, isWay, type ActiveMember } from './console.ts'
import { gonePage } from './import-new.views.ts'

export const way = (upload: string, step = '') => `/console/imports/new/${upload}${step}`
export const to = (address: string) => redirect(address, undefined, 303)

export interface Opened { member: ActiveMember; draft: Draft }

/** The member and the file, or the page that says what is missing. */
export async function open(caller: Caller, context: Context, upload: string): Promise<Opened | { way: Answer }> {
  const member = entry(caller, '/console/imports/new')
  if (isWay(member)) return { way: member }
  demand(member, 'dpp:create')
  const draft = await findDraft(context.db, member.organization, upload)
  if (draft) return { member, draft }
  return { way: await consolePage(context, member, { title: 'This file is no longer here', status: 404 }, gonePage()) }
}
