import { expect } from 'chai'
import type { Finding, Readiness } from '../../../../core/features/dpp/index.ts'
import { getBody } from '../passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'
import { createUntpValidator, type Mutation } from './mutate.ts'

/** Requests at a time. */
const maxConcurrent = 8

/** Errors that validating a body finds. */
export async function listErrors({ api }: Shop, body: object): Promise<Finding[]> {
  const answer = await api.post('/v1/dpp/passports/validate', body)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<Readiness>(answer).findings.filter(({ severity }) => severity === 'error')
}

export const formatErrors = (errors: Finding[]) => errors.map(({ code, path }) => `${code} ${path}`)

/** A mutation with what was found: whether it is the place that was touched and no other, and whether ajv agrees. */
export interface ValidatedMutation {
  what: string
  path: string
  code: string
  found: string[]
  named: boolean
  agreed: boolean
}

/**
 * What validating says of each mutation. Errors that the base has too are none of the mutation's. Convention: a missing
 * member is at the path that it would have, a surplus one at its own, a wrong word in a `type` at the list.
 */
export async function validateMutations(
  shop: Shop,
  base: object,
  all: readonly Mutation[],
): Promise<ValidatedMutation[]> {
  const validator = createUntpValidator(
    new URL('../../../../core/features/dpp/content/dpp-0.7.0.schema.json', import.meta.url),
  )
  const always = new Set(formatErrors(await listErrors(shop, base)))
  const results: ValidatedMutation[] = []
  const validateMutation = async ({ what, path, code, body }: Mutation) => {
    const errors = await listErrors(shop, body)
    const own = errors.filter((one) => !always.has(`${one.code} ${one.path}`))
    const named = own.length > 0 && own.every((one) => one.path === path) && own.some((one) => one.code === code)
    const ofUntp = [...new Set(errors.filter((one) => one.code.startsWith('untp_')).map((one) => one.path))].sort()
    const agreed = JSON.stringify(ofUntp) === JSON.stringify(validator(body['product']))
    results.push({ what, path, code, found: formatErrors(errors), named, agreed })
  }
  const queue = all.values()
  await Promise.all(
    Array.from({ length: maxConcurrent }, async () => {
      for (const one of queue) await validateMutation(one)
    }),
  )
  return results
}
