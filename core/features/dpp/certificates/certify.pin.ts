import type { JobRun } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { saveContent } from '../../certification/index.ts'
import { markPinned } from './certificates.store.ts'

/**
 * The number of credentials that are read, pinned and marked together, and the number that are pinned at the same time.
 */
const batchSize = 64
const maxConcurrentPins = 8

interface UnpinnedRow {
  id: string
  passport: string
  cid: string
  ld: Buffer
}

/**
 * The progress of pinning: `after` is the last passport that was handled, null at the end; `isComplete` tells whether
 * all credentials are pinned.
 */
export interface PinResult {
  after: string | null
  isComplete: boolean
}

/**
 * Stores the next credentials of a job under their content identifiers, on the IPFS node or, without a node, in the
 * installation's own store: the embedded form, byte for byte as it is served. Certificates that their organization
 * hosts have no bytes here and are left out. A run that dies on the way stores some credentials again, which changes
 * nothing. A node that is unreachable, or a full disk, is reported in the log.
 * @param after the last passport that was handled
 */
export async function pinNextCredentials(run: JobRun, job: string, after: string | null): Promise<PinResult> {
  const { context } = run
  const rows = await readUnpinned(context, job, after)
  if (rows.length === 0) return { after: null, isComplete: true }
  const pinnedIds: string[] = []
  let failure: unknown = null
  const waiting = rows.values()
  await Promise.all(
    Array.from({ length: maxConcurrentPins }, async () => {
      for (const { id, cid, ld } of waiting) {
        if (failure !== null) return
        try {
          const made = await saveContent(context, ld)
          if (made.cid !== cid) throw new Error('A stored credential has another content identifier than it was given')
          pinnedIds.push(id)
        } catch (cause) {
          failure = cause
        }
      }
    }),
  )
  if (pinnedIds.length > 0) {
    await run.step((trx) => markPinned(trx, pinnedIds))
  }
  if (failure === null) return { after: rows.at(-1)?.passport ?? null, isComplete: true }
  context.log.warn({ err: failure, job }, 'credentials wait to be kept on IPFS')
  return { after: null, isComplete: false }
}

async function readUnpinned({ db }: Context, job: string, after: string | null): Promise<UnpinnedRow[]> {
  const { rows } = await db.raw<{ rows: UnpinnedRow[] }>(
    `select id, passport, cid, ld from passport_credentials
     where job = ? and pinned_at is null and ld is not null and cid is not null
       and (?::uuid is null or passport > ?::uuid) order by passport limit ?`,
    [job, after, after, batchSize],
  )
  return rows
}
