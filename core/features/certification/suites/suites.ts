import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import {
  createCachingContextLoader,
  createMinimalCredential,
  currentUntpVersion,
  fetchContext,
  findForeignContextBody,
  loadForeignContext,
  replaceForeignContext,
  untpVersions,
  VerificationFetcher,
} from '../contexts/index.ts'
import { runWithCanonizer } from './proofs.expand.ts'
import { cryptosuites, type Cryptosuite } from './proofs.libraries.ts'
import { VerificationError } from '../formats/index.ts'

/** The suite that every organization uses. */
const [requiredSuite] = cryptosuites

/** Reads the suites for an organization's passports, the required suite first. */
export async function readSuites(db: Knex, organization: string): Promise<Cryptosuite[]> {
  const row = await db('certification_settings')
    .where({ organization })
    .first<{ cryptosuites: string[] } | undefined>('cryptosuites')
  return cryptosuites.filter((suite) => suite === requiredSuite || row?.cryptosuites.includes(suite))
}

/**
 * Checks whether an organization's credentials should be and can be signed over their RDF. No job waits for a context
 * that is not stored, for example after a change of UNTP's version: such credentials get no form over RDF.
 */
export async function canSecureRdf({ db, log }: Context, organization: string): Promise<boolean> {
  if (!(await readSuites(db, organization)).includes('eddsa-rdfc-2022')) return false
  const [, ...others] = untpVersions[currentUntpVersion].contexts
  for (const address of others) {
    if ((await findForeignContextBody(db, address)) !== undefined) continue
    log.warn(
      { organization, address },
      'credentials get no form over their RDF: a context is not kept; set the certification settings again',
    )
    return false
  }
  return true
}

/** Updates the chosen suites; existing certificates do not change. */
export async function updateSuites(trx: Knex, organization: string, chosen: readonly Cryptosuite[]): Promise<void> {
  const optionalSuites = chosen.filter((suite) => suite !== requiredSuite)
  await trx.raw(
    `insert into certification_settings (organization, cryptosuites) values (?, ?)
     on conflict (organization) do update set cryptosuites = excluded.cryptosuites, updated_at = now()`,
    [organization, optionalSuites],
  )
}

/** A foreign context that certified credentials name, with its address. */
export interface NamedContext {
  address: string
  body: string
}

/**
 * Loads the foreign contexts that our credentials name, from the database or else by a guarded fetch, so that no later
 * job has to wait for a host. Checks that a passport can be expressed with them.
 * @returns the contexts that are not stored yet
 * @throws VerificationError if a context cannot be loaded, or if a term stays unmapped
 */
export async function fetchMissingContexts(context: Context): Promise<NamedContext[]> {
  const fetcher = new VerificationFetcher(context)
  const documents = new Map<string, object>()
  const missing: NamedContext[] = []
  const [, ...others] = untpVersions[currentUntpVersion].contexts
  for (const address of others) {
    const isKept = (await findForeignContextBody(context.db, address)) !== undefined
    const { document, body } = await (isKept ? loadForeignContext : fetchContext)(fetcher, address)
    documents.set(address, document)
    if (!isKept) missing.push({ address, body: body.toString('utf8') })
  }
  await assertContextsUsable(documents)
  return missing
}

/** Creates a minimal passport without the type that UNTP's context may leave unmapped (`addUndefinedTermsContext`). */
const createSampleCredential = () => ({
  ...createMinimalCredential(
    { name: 'Model', idGranularity: 'model', modelNumber: '1' },
    {
      id: 'urn:uuid:00000000-0000-4000-8000-000000000000',
      subject: 'urn:uuid:00000000-0000-4000-8000-000000000001',
      issuer: { id: 'did:key:z6Mk', name: 'Issuer' },
      validFrom: new Date(0),
      context: null,
    },
  ),
  type: ['VerifiableCredential'],
})

/** Checks that the contexts can express a passport. @throws VerificationError */
async function assertContextsUsable(documents: ReadonlyMap<string, object>): Promise<void> {
  const load = createCachingContextLoader(async (url) => {
    const found = documents.get(url)
    if (!found) throw new VerificationError(`A context of a passport refers to another one, ${url}, which is not kept`)
    return found
  })
  await runWithCanonizer(load, (canonize) => canonize(createSampleCredential())).catch(
    (cause: Error & { term?: string | null }) => {
      if (cause instanceof VerificationError) throw cause
      throw new VerificationError(
        `The contexts of UNTP ${currentUntpVersion} cannot tell a passport: ${cause.term ?? cause.message}`,
        {
          cause,
        },
      )
    },
  )
}

/** Stores the fetched contexts. */
export async function insertNamedContexts(trx: Knex, contexts: readonly NamedContext[]): Promise<void> {
  for (const { address, body } of contexts) await replaceForeignContext(trx, address, body)
}
