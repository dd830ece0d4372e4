import type { Knex } from 'knex'
import { createModelSource, listPage, withoutTotal } from '../../database/list/index.ts'
import { mapPageResult, readAllPages, type PageRequest, type PageResult } from '../../kernel/page.ts'
import type { AuditAction } from '../../kernel/words.ts'
import type { TrailActor } from './trail.append.ts'
import { trailColumns, TrailModel } from './trail.model.ts'

/** An entry of the audit trail as the members of its organization see it. */
export interface TrailEntry {
  at: string
  actor: Pick<TrailActor, 'kind' | 'id' | 'label'>
  action: AuditAction
  target: { kind: string; id: string; label: string | null }
  change: string | null
  address: string | null
  requestId: string | null
}

const presentEntry = (row: TrailModel): TrailEntry => ({
  at: row.at,
  actor: { kind: row.actorKind, id: row.actorId, label: row.actorLabel },
  action: row.action,
  target: { kind: row.targetKind, id: row.targetId, label: row.targetLabel },
  change: row.change,
  address: row.address,
  requestId: row.requestId,
})

const createTrailSource = (trx: Knex, organization: string) =>
  createModelSource(TrailModel.query(trx).modify('ofOrganization', organization))

/** Lists the trail of an organization. */
export const listTrail = async (trx: Knex, organization: string, page: PageRequest): Promise<PageResult<TrailEntry>> =>
  mapPageResult(await listPage(createTrailSource(trx, organization), page, trailColumns), presentEntry)

/** Number of entries that `readTrail` holds at a time. */
const maxBatchSize = 1_000

/** Reads all entries that match the filters of a page, in its order, outside any transaction. */
export function readTrail(db: Knex, organization: string, page: PageRequest): AsyncGenerator<TrailEntry[]> {
  const source = withoutTotal(createTrailSource(db, organization))
  return readAllPages({ ...page, pageSize: maxBatchSize }, async (request) =>
    mapPageResult(await listPage(source, request, trailColumns), presentEntry),
  )
}
