import type { Caller, EndUserCaller } from '../../kernel/caller.ts'
import type { RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { findApplicationBySlug } from '../../features/applications/index.ts'
import { dressReader } from '../site/brand.views.ts'
import { detectReader } from '../site/reader.ts'
import type { MePage } from './me.views.ts'

interface PageQuery {
  application?: string
  lang?: string
}

/** @throws NOT_FOUND for a slug that no application has */
export async function openPage(
  context: Context,
  { application: slug, lang }: Required<Pick<PageQuery, 'application'>> & PageQuery,
  request: RequestDetails,
): Promise<MePage> {
  const application = await findApplicationBySlug(context.db, slug)
  if (!application) throw createNotFoundProblem()
  return { application, reader: await dressReader(context, detectReader(request, lang), application) }
}

/** Returns the buyer if they are signed in to the application. */
export const getBuyer = (caller: Caller, { id }: MePage['application']): EndUserCaller | null =>
  caller.kind === 'endUser' && caller.application === id ? caller : null
