import { expect } from 'chai'
import type { Issue } from '../../../../core/kernel/problem.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { getBody, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { verifyPath } from '../verify/verify.ts'

/** What is told of a malformed credential when it is sent to be verified, as `path code`, each with a sentence. */
export async function verifyRefused(given: unknown, api: Client = createApiClient()): Promise<string[]> {
  const answer = await api.post(verifyPath, typeof given === 'string' ? { credential: given } : given)
  expect(formatVerdict(answer), answer.text).to.equal('422 VALIDATION_FAILED')
  const { errors } = getBody<{ errors: Issue[] }>(answer)
  for (const { message } of errors) expect(message).to.match(/^(must|is|has|cannot) .{3,300}$/)
  return errors.map(({ path, code }) => `${path} ${code}`)
}
