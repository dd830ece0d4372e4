import { expect } from 'chai'
import type { Check, Verification } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import { repeatUntil } from '../../../support/processes.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'

export const verifyPath = '/v1/dpp/credentials/verify'

/** Sends a credential to be verified, and again where there was no thread for it, or its hosts were not asked in time. */
export async function postVerify(given: unknown, api: Client): Promise<Answer> {
  const send = () => api.post(verifyPath, typeof given === 'string' ? { credential: given } : given)
  const isInTime = ({ status, text }: Answer) => status !== 503 && !text.includes('does not answer in time')
  return repeatUntil('a credential is verified in time', send, isInTime)
}
const order = ['proof', 'issuer', 'key', 'status', 'validity', 'anchor', 'schema']

/** What verifying answers; whatever it comes to it is 200, all checks in their order. */
export async function verifyByApi(given: unknown, api: Client = createApiClient()): Promise<Verification> {
  const answer = await postVerify(given, api)
  expect(answer.status, answer.text).to.equal(200)
  const found = getBody<Verification>(answer)
  expect(found.checks.map(({ check }) => check)).to.deep.equal(order)
  const outcomes = found.checks.filter(({ check }) => check !== 'schema').map(({ ok }) => ok)
  const expected = outcomes.includes(false) ? false : outcomes.includes(null) ? null : true
  expect(found.verified).to.equal(expected)
  expect(found.verdict).to.equal(expected === null ? 'unknown' : expected ? 'verified' : 'failed')
  for (const { detail } of found.checks) expect(detail).to.match(/^\S.{8,300}$/s)
  return found
}

/** Checks that do not hold, but for the schema, with what is told of each. */
export async function listFailedChecks(given: unknown, api?: Client): Promise<Partial<Record<Check['check'], string>>> {
  const { checks } = await verifyByApi(given, api)
  return Object.fromEntries(
    checks.filter(({ ok, check }) => !ok && check !== 'schema').map(({ check, detail }) => [check, detail]),
  )
}

/** The one check that does not hold, and why; '' where all hold. */
export async function describeFailedChecks(given: unknown, api?: Client): Promise<string> {
  return Object.entries(await listFailedChecks(given, api))
    .map(([check, detail]) => `${check}: ${detail}`)
    .join('\n')
}
