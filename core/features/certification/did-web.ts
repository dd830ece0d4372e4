import type { Knex } from 'knex'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { didDocumentOf, didOf } from './did.ts'
import type { DidWebCheck, DidWebConfig } from './did-web.schema.ts'
import { ensureCertificationKey } from './keys.ts'
import { keysOf, type KeyRow } from './keys.rows.ts'

interface DomainRow {
  organization: string
  domain: string
  last_check: DidWebCheck | null
}

/** The configuration with the document to publish. */
export async function readConfig(trx: Knex, context: Context, organization: string): Promise<DidWebConfig> {
  await ensureCertificationKey(context, organization)
  const keys = await keysOf(trx, organization)
  const active = keys.find(({ status }) => status === 'active')
  if (!active) throw new Error('an organization has no active key')
  const row = await trx<DomainRow>('did_web_domains').where({ organization }).first()
  const domain = row?.domain ?? null
  return {
    domain,
    did: didOf(domain, active.public_key),
    didDocument: domain === null ? null : didDocumentOf(domain, published(keys)),
    lastCheck: row?.last_check ?? null,
  }
}

/** A key that waits is published too, so that verifiers know it before the first signature. */
const published = (keys: readonly KeyRow[]) =>
  keys.filter(({ status }) => status !== 'revoked').map((key) => key.public_key)

/** Sets or clears the domain. A check belongs to the domain it was made of. @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN */
export async function setDomain(trx: Knex, organization: string, domain: string | null): Promise<void> {
  if (domain === null) {
    await trx('did_web_domains').where({ organization }).delete()
    return
  }
  try {
    await trx.raw(
      `insert into did_web_domains (organization, domain) values (?, ?)
       on conflict (organization) do update set domain = excluded.domain, updated_at = now(),
         last_check = case when did_web_domains.domain = excluded.domain then did_web_domains.last_check end`,
      [organization, domain],
    )
  } catch (cause) {
    if ((cause as { constraint?: unknown }).constraint !== 'did_web_domains_domain_key') throw cause
    throw problem('DPP_DID_WEB_DOMAIN_ALREADY_TAKEN', 'Another organization uses this domain.', {
      path: 'domain',
      cause,
    })
  }
}

/** Keeps the outcome of a check, unless the domain is another by now. */
export async function keepCheck(trx: Knex, organization: string, domain: string, check: DidWebCheck): Promise<void> {
  await trx('did_web_domains')
    .where({ organization, domain })
    .update({ last_check: JSON.stringify(check) })
}
