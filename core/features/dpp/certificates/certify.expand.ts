import type { JobRun } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { VerificationError, createRdfcForms, type StoredCredential } from '../../certification/index.ts'
import { storeRdfForms } from './certificates.store.ts'
import type { CertificationTask } from './certify.chunk.ts'

/** The number of credentials that are expanded in one thread, some 15 ms each, and stored together. */
const batchSize = 100

/**
 * The form of a credential that cannot be expressed in RDF: no bytes, so that later runs of the job do not try it
 * again.
 */
const noBytes = Buffer.alloc(0)

interface UnexpandedRow extends StoredCredential {
  id: string
  passport: string
}

/**
 * The progress of an expansion: `after` is the last passport that was handled, null at the end; `isComplete` tells
 * whether every credential that can be expressed in RDF has its third form.
 */
export interface ExpansionResult {
  after: string | null
  isComplete: boolean
}

/**
 * Adds the third form, secured over its RDF, to the next credentials of a job. Expanding takes long, so no transaction
 * is open and nothing is locked meanwhile. A run that dies on the way makes some of the same forms again, which does no
 * harm. A credential that cannot be expressed in RDF gets no third form.
 * @param after the last passport that was handled
 */
export async function expandNextCredentials(
  run: JobRun,
  { job, organization }: Pick<CertificationTask, 'job' | 'organization'>,
  after: string | null,
): Promise<ExpansionResult> {
  const { context } = run
  const rows = await readUnexpanded(context, job, after)
  if (rows.length === 0) return { after: null, isComplete: true }
  try {
    const forms = await createRdfcForms(context, organization, rows)
    await run.step((trx) =>
      storeRdfForms(
        trx,
        rows.map(({ id, key }, at) => ({ id, key, rdfc: forms[at] ?? noBytes })),
      ),
    )
    return { after: rows.at(-1)?.passport ?? null, isComplete: true }
  } catch (cause) {
    if (!(cause instanceof VerificationError)) throw cause
    context.log.warn({ err: cause, job }, 'credentials wait to be expanded')
    return { after: null, isComplete: false }
  }
}

async function readUnexpanded({ db }: Context, job: string, after: string | null): Promise<UnexpandedRow[]> {
  const { rows } = await db.raw<{ rows: UnexpandedRow[] }>(
    `select id, passport, key, valid_from as "validFrom", ld from passport_credentials
     where job = ? and rdfc is null and key is not null and ld is not null
       and (?::uuid is null or passport > ?::uuid) order by passport limit ?`,
    [job, after, after, batchSize],
  )
  return rows
}
