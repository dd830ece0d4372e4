import { operation, type Operation } from '../../kernel/operation.ts'
import { invalid } from '../../kernel/problem.ts'
import { list, object, oneOf, type Static } from '../../kernel/schema.ts'
import { cryptosuites } from './proofs.libraries.ts'
import { chooseSuites, fetchMissingContexts, keepNamedContexts, readSuites, type NamedContext } from './suites.ts'
import { Doubt } from './verify.doubt.ts'

const tag = 'Certification keys'
const path = '/v1/dpp/certification-settings'

const CertificationSettings = object(
  {
    cryptosuites: list(
      oneOf(cryptosuites, 'A suite of W3C Data Integrity.'),
      'Suites of the embedded proofs of passports that are certified from now on, each a stored form of its own. ' +
        'eddsa-jcs-2022 is always among them.',
      { minItems: 1, maxItems: cryptosuites.length, uniqueItems: true },
    ),
  },
  { title: 'CertificationSettings', description: 'How an organization has its passports certified.' },
)
type CertificationSettings = Static<typeof CertificationSettings>

const read = operation({
  id: 'get_certification_settings_v1',
  method: 'GET',
  path,
  summary: 'Read the certification settings',
  description: 'The suites whose proofs are stored with each credential.',
  tag,
  access: 'dpp:read',
  returns: { 200: CertificationSettings },
}).readBy(async ({ caller, work }): Promise<CertificationSettings> =>
  ({ cryptosuites: await readSuites(work.trx, caller.organization) }))

const set = operation({
  id: 'set_certification_settings_v1',
  method: 'PUT',
  path,
  summary: 'Set the certification settings',
  tag,
  description:
    'With eddsa-rdfc-2022 passports get a third form, `vc.jsonld?cryptosuite=eddsa-rdfc-2022`, when they are certified; ' +
    'those that are certified already keep what they have. The contexts that it needs are fetched and kept now: while ' +
    'one is out of reach, nothing is enabled.',
  access: 'dpp:update',
  body: CertificationSettings,
  returns: { 200: CertificationSettings },
}).performedBy(async ({ body: { cryptosuites: chosen }, caller: { organization }, context, finish }) => {
  if (!chosen.includes('eddsa-jcs-2022')) throw refused('required_suite', 'must contain eddsa-jcs-2022, which every certified passport has')
  const contexts = chosen.includes('eddsa-rdfc-2022') ? await fetchMissingContexts(context).catch(notEnabled) : []
  return finish(async ({ trx }) => {
    await keepNamedContexts(trx, contexts)
    await chooseSuites(trx, organization, chosen)
    return { cryptosuites: await readSuites(trx, organization) }
  })
})

const refused = (code: string, message: string) => invalid([{ path: 'cryptosuites', code, message }])

/** @throws VALIDATION_FAILED for a context that cannot be had: it says nothing of the request, but nothing can be done about it here */
function notEnabled(cause: unknown): NamedContext[] {
  if (!(cause instanceof Doubt)) throw cause
  throw refused('context_unavailable', `cannot have eddsa-rdfc-2022 now. ${cause.message}. Nothing was enabled; try again later`)
}

export const suiteOperations: Operation[] = [read, set]
