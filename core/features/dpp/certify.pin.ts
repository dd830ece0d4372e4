import type { Run } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { keepContent } from '../certification/index.ts'

/** Credentials that are read, kept and marked together, and how many of them at the same time. */
const portion = 64
const atOnce = 8

interface Unpinned { id: string; passport: string; cid: string; ld: Buffer }

/** How far it came: the last passport that was taken, null at the end; then whether all are kept. */
export interface Pinned { after: string | null; all: boolean }

/**
 * Keeps the next credentials of a job by their content identifiers: the embedded form, byte for byte as it is served.
 * Never a certificate that its organization hosts, which has no bytes here. Killed on the way it keeps some again,
 * which changes nothing. @param after the last passport that was taken. A node that is away, or a
 * full disk, is told in the log.
 */
export async function pinNext(run: Run, job: string, after: string | null): Promise<Pinned> {
  const { context } = run
  const rows = await nextUnpinned(context, job, after)
  if (rows.length === 0) return { after: null, all: true }
  const kept: string[] = []
  let failure: unknown = null
  const waiting = rows.values()
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const { id, cid, ld } of waiting) {
      if (failure !== null) return
      try {
        const made = await keepContent(context, ld)
        if (made.cid !== cid) throw new Error('A stored credential has another content identifier than it was given')
        kept.push(id)
      } catch (cause) {
        failure = cause
      }
    }
  }))
  if (kept.length > 0) {
    await run.step((trx) =>
      trx.raw('update passport_credentials set pinned_at = now() where id = any(?::uuid[])', [kept]))
  }
  if (failure === null) return { after: rows.at(-1)?.passport ?? null, all: true }
  context.log.warn({ err: failure, job }, 'credentials wait to be kept on IPFS')
  return { after: null, all: false }
}

async function nextUnpinned({ db }: Context, job: string, after: string | null): Promise<Unpinned[]> {
  const { rows } = await db.raw<{ rows: Unpinned[] }>(
    `select id, passport, cid, ld from passport_credentials
     where job = ? and pinned_at is null and ld is not null and cid is not null
       and (?::uuid is null or passport > ?::uuid) order by passport limit ?`, [job, after, after, portion])
  return rows
}
