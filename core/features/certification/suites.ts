import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { fetchContext, foreignContext, loaderOf } from './contexts.loader.ts'
import { keepForeignContext, keptContext } from './contexts.ts'
import { minimalCredential, presentUntp, untpVersions } from './credential.ts'
import { expandApart } from './proofs.expand.ts'
import { cryptosuites, type Cryptosuite } from './proofs.libraries.ts'
import { Doubt } from './verify.doubt.ts'
import { Reach } from './verify.reach.ts'

/** The one that is no organization's choice. */
const [always] = cryptosuites

/** The suites that an organization's passports are secured with, the usual one first. */
export async function readSuites(db: Knex, organization: string): Promise<Cryptosuite[]> {
  const row = await db('certification_settings').where({ organization }).first<{ cryptosuites: string[] } | undefined>('cryptosuites')
  return cryptosuites.filter((suite) => suite === always || row?.cryptosuites.includes(suite))
}

/**
 * Whether an organization's credentials are to be secured over their RDF as well, and can be: a context that is not kept,
 * as after a change of UNTP's version, is none that a job waits for.
 */
export async function expandsFor({ db, log }: Context, organization: string): Promise<boolean> {
  if (!(await readSuites(db, organization)).includes('eddsa-rdfc-2022')) return false
  const [, ...others] = untpVersions[presentUntp].contexts
  for (const address of others) {
    if ((await keptContext(db, address)) !== undefined) continue
    log.warn({ organization, address }, 'credentials get no form over their RDF: a context is not kept; set the certification settings again')
    return false
  }
  return true
}

/** Chooses the suites; what is certified already stays as it is. */
export async function chooseSuites(trx: Knex, organization: string, chosen: readonly Cryptosuite[]): Promise<void> {
  const more = chosen.filter((suite) => suite !== always)
  await trx.raw(
    `insert into certification_settings (organization, cryptosuites) values (?, ?)
     on conflict (organization) do update set cryptosuites = excluded.cryptosuites, updated_at = now()`, [organization, more])
}

/** A context of others that certified credentials name, with its address. */
export interface NamedContext { address: string; body: string }

/**
 * Contexts of others that our credentials name, as they are kept, or else fetched under guard, so that no job that
 * expands credentials waits for a host. A passport has to be tellable with them. @returns what is not kept yet
 * @throws Doubt where one cannot be had, or they leave a term unmapped
 */
export async function fetchMissingContexts(context: Context): Promise<NamedContext[]> {
  const reach = new Reach(context)
  const documents = new Map<string, object>()
  const missing: NamedContext[] = []
  const [, ...others] = untpVersions[presentUntp].contexts
  for (const address of others) {
    const kept = (await keptContext(context.db, address)) !== undefined
    const { document, body } = await (kept ? foreignContext : fetchContext)(reach, address)
    documents.set(address, document)
    if (!kept) missing.push({ address, body: body.toString('utf8') })
  }
  await tryContexts(documents)
  return missing
}

/** A passport without anything of its own, and without the type that UNTP's context leaves out (`withUndefinedTerms`). */
const plainest = () => ({
  ...minimalCredential({ name: 'Model', idGranularity: 'model', modelNumber: '1' }, {
    id: 'urn:uuid:00000000-0000-4000-8000-000000000000', subject: 'urn:uuid:00000000-0000-4000-8000-000000000001',
    issuer: { id: 'did:key:z6Mk', name: 'Issuer' }, validFrom: new Date(0), context: null,
  }),
  type: ['VerifiableCredential'],
})

/** @throws Doubt */
async function tryContexts(documents: ReadonlyMap<string, object>): Promise<void> {
  const load = loaderOf(async (url) => {
    const found = documents.get(url)
    if (!found) throw new Doubt(`A context of a passport refers to another one, ${url}, which is not kept`)
    return found
  })
  await expandApart(load, (canonize) => canonize(plainest())).catch((cause: Error & { term?: string | null }) => {
    if (cause instanceof Doubt) throw cause
    throw new Doubt(`The contexts of UNTP ${presentUntp} cannot tell a passport: ${cause.term ?? cause.message}`, { cause })
  })
}

/** Keeps what was fetched. */
export async function keepNamedContexts(trx: Knex, contexts: readonly NamedContext[]): Promise<void> {
  for (const { address, body } of contexts) await keepForeignContext(trx, address, body)
}
