import type { Knex } from 'knex'
import type { Run } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { Doubt, rdfcForms, type StoredForm } from '../certification/index.ts'
import type { Certifying } from './certify.chunk.ts'

/** Credentials that are expanded in one thread, of which each takes some 15 ms, and stored together. */
const portion = 100

/** Of what cannot be told: no bytes, so that it is not tried again with each run of the job. */
const none = Buffer.alloc(0)

interface Row extends StoredForm { id: string; passport: string }

/** How far it came: the last passport that was taken, null at the end; then whether each that can be told has its form. */
export interface Expanded { after: string | null; all: boolean }

/**
 * Adds the third form, secured over its RDF, to the next credentials of a job. Expanding takes long, so that no
 * transaction is open meanwhile, and nothing locked; a run that dies on the way makes some of them again, the same but
 * for nothing. What cannot be told in RDF is left without. @param after the last passport that was taken
 */
export async function expandNext(run: Run, { job, organization }: Pick<Certifying, 'job' | 'organization'>, after: string | null): Promise<Expanded> {
  const { context } = run
  const rows = await nextBare(context, job, after)
  if (rows.length === 0) return { after: null, all: true }
  try {
    const forms = await rdfcForms(context, organization, rows)
    await run.step((trx) => store(trx, rows.map(({ id, key }, at) => ({ id, key, rdfc: forms[at] ?? none }))))
    return { after: rows.at(-1)?.passport ?? null, all: true }
  } catch (cause) {
    if (!(cause instanceof Doubt)) throw cause
    context.log.warn({ err: cause, job }, 'credentials wait to be expanded')
    return { after: null, all: false }
  }
}

async function nextBare({ db }: Context, job: string, after: string | null): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select id, passport, key, valid_from as "validFrom", ld from passport_credentials
     where job = ? and rdfc is null and key is not null and ld is not null
       and (?::uuid is null or passport > ?::uuid) order by passport limit ?`, [job, after, after, portion])
  return rows
}

/** Not for a version that was signed again meanwhile. */
async function store(trx: Knex, made: readonly { id: string; key: string; rdfc: Buffer }[]): Promise<void> {
  await trx.raw(
    `update passport_credentials c set rdfc = made.rdfc from unnest(?::uuid[], ?::uuid[], ?::bytea[]) as made (id, key, rdfc)
     where c.id = made.id and c.key = made.key`,
    [made.map(({ id }) => id), made.map(({ key }) => key), made.map(({ rdfc }) => rdfc)] as Knex.RawBinding[])
}
