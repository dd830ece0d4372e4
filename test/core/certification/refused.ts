import { expect } from 'chai'
import type { Violation } from '../../../core/kernel/problem.ts'
import { client, type Client } from '../../support/client.ts'
import { bodyOf, verdict } from '../passports/fixtures.ts'
import { verifyPath } from './verify.ts'

/** What is told of a malformed credential when it is sent to be verified, as `path code`, each with a sentence. */
export async function refused(given: unknown, api: Client = client()): Promise<string[]> {
  const answer = await api.post(verifyPath, typeof given === 'string' ? { credential: given } : given)
  expect(verdict(answer), answer.text).to.equal('422 VALIDATION_FAILED')
  const { errors } = bodyOf<{ errors: Violation[] }>(answer)
  for (const { message } of errors) expect(message).to.match(/^(must|is|has|cannot) .{3,300}$/)
  return errors.map(({ path, code }) => `${path} ${code}`)
}
