import {
  previewCertify,
  previewPublish,
  previewRemoval,
  startCertification,
  startPublish,
  startRemoval,
} from '../../../../features/dpp/index.ts'
import type { DryRun } from '../../../../kernel/dry-run.ts'
import type { PageRequest } from '../../../../kernel/page.ts'
import type { Permission } from '../../../../kernel/permission.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import type { Work } from '../../../../kernel/work.ts'
import { may, type ActiveMember } from '../../console.ts'
import { getRefusal } from '../../frame/forms.views.ts'

export const bulkActs = ['publish', 'certify', 'archive', 'delete'] as const
export type BulkAct = (typeof bulkActs)[number]

/** What is asked for besides the act. */
export interface BulkOptions {
  /** Whether passports are published without being certified. */
  skipCertification: boolean
  /** Whether batches and items do not come along with their models. */
  isAlone: boolean
}

/** An act on many passports by an operation of the API: what it would do, and how it begins as a job. */
interface BulkOperation {
  permission: Permission
  preview(work: Work, member: ActiveMember, page: PageRequest, options: BulkOptions): Promise<DryRun>
  start(
    work: Work,
    member: ActiveMember,
    page: PageRequest,
    options: BulkOptions,
  ): Promise<{ jobId: string; matched: number }>
}

export const bulkOperations: Readonly<Record<BulkAct, BulkOperation>> = {
  publish: {
    permission: 'dpp:update',
    preview: previewPublish,
    start: startPublish,
  },
  certify: { permission: 'dpp:update', preview: previewCertify, start: startCertification },
  archive: {
    permission: 'dpp:update',
    preview: (work, member, page) => previewRemoval(work, member, page, 'archive'),
    start: (work, member, page) => startRemoval(work, member, page, 'archive'),
  },
  delete: {
    permission: 'dpp:delete',
    preview: (work, member, page) => previewRemoval(work, member, page, 'delete'),
    start: (work, member, page) => startRemoval(work, member, page, 'delete'),
  },
}

/** Lists the acts on many passports that a member's role has. */
export const listBulkActs = (member: ActiveMember): BulkAct[] =>
  bulkActs.filter((act) => may(member, bulkOperations[act].permission))

/** Returns what an act would do, or the problem for which it is refused. */
export const previewAct = (
  preview: Promise<DryRun>,
): Promise<{ dryRun: DryRun | null; problem: ProblemError | undefined }> =>
  preview.then(
    (dryRun) => ({ dryRun, problem: undefined }),
    (cause: unknown) => ({ dryRun: null, problem: getRefusal(cause) }),
  )
