import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import { list, object, oneOf, type Static } from '../../../kernel/schema.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { cryptosuites, type Cryptosuite } from './proofs.libraries.ts'
import { updateSuites, fetchMissingContexts, insertNamedContexts, readSuites, type NamedContext } from './suites.ts'
import { VerificationError } from '../formats/index.ts'

const tag = 'Certification keys'
const path = '/v1/dpp/certification-settings'

const CertificationSettings = object(
  {
    cryptosuites: list(
      oneOf(cryptosuites, 'A suite of W3C Data Integrity.'),
      'Suites of the embedded proofs of passports that are certified from now on, each a stored form of its own. '
        + 'eddsa-jcs-2022 is always among them.',
      { minItems: 1, maxItems: cryptosuites.length, uniqueItems: true },
    ),
  },
  { title: 'CertificationSettings', description: 'How an organization has its passports certified.' },
)
type CertificationSettings = Static<typeof CertificationSettings>

const readSettingsOperation = declareOperation({
  id: 'get_certification_settings_v1',
  method: 'GET',
  path,
  access: 'dpp:read',
  returns: { 200: CertificationSettings },
  document: {
    tag,
    summary: 'Read the certification settings',
    description: 'The suites whose proofs are stored with each credential.',
  },
}).withReadHandler(async ({ caller, work }): Promise<CertificationSettings> => ({
  cryptosuites: await readSuites(work.trx, caller.organization),
}))

const setSettingsOperation = declareOperation({
  id: 'set_certification_settings_v1',
  method: 'PUT',
  path,
  access: 'dpp:update',
  body: CertificationSettings,
  returns: { 200: CertificationSettings },
  document: {
    tag,
    summary: 'Set the certification settings',
    description:
      'With eddsa-rdfc-2022 passports get a third form, `vc.jsonld?cryptosuite=eddsa-rdfc-2022`, when they are certified; '
      + 'those that are certified already keep what they have. The contexts that it needs are fetched and kept now: while '
      + 'one is out of reach, nothing is enabled.',
  },
}).withOutboundHandler(async ({ body, caller: { organization }, context, finish }) => {
  const store = await prepareSuites(context, organization, body.cryptosuites)
  return finish(async (work) => {
    await store(work)
    return { cryptosuites: await readSuites(work.trx, organization) }
  })
})

/**
 * Checks the chosen suites and fetches the contexts that they need, outside any transaction.
 * @returns what stores them, in the transaction of its work
 * @throws VALIDATION_FAILED
 */
export async function prepareSuites(
  context: Context,
  organization: string,
  chosen: readonly Cryptosuite[],
): Promise<(work: Work) => Promise<void>> {
  if (!chosen.includes('eddsa-jcs-2022'))
    throw createSuitesProblem('required_suite', 'must contain eddsa-jcs-2022, which every certified passport has')
  const contexts = chosen.includes('eddsa-rdfc-2022') ? await fetchMissingContexts(context).catch(throwNotEnabled) : []
  return async ({ trx }) => {
    await insertNamedContexts(trx, contexts)
    await updateSuites(trx, organization, chosen)
  }
}

const createSuitesProblem = (code: string, message: string) =>
  createValidationProblem([{ path: 'cryptosuites', code, message }])

/**
 * Converts the error of a context that cannot be loaded; the request is not wrong, but its sender has to be told.
 * @throws VALIDATION_FAILED
 */
function throwNotEnabled(cause: unknown): NamedContext[] {
  if (!(cause instanceof VerificationError)) throw cause
  throw createSuitesProblem(
    'context_unavailable',
    `cannot have eddsa-rdfc-2022 now. ${cause.message}. Nothing was enabled; try again later`,
  )
}

export const suiteOperations: Operation[] = [readSettingsOperation, setSettingsOperation]
