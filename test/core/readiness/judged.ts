import { expect } from 'chai'
import type { Finding, Readiness } from '../../../core/features/dpp/open.types.ts'
import { bodyOf, type Shop } from '../passports/fixtures.ts'
import { untpJudge, type Mutation } from './mutate.ts'

/** Requests at a time. */
const atOnce = 8

/** Errors that validating a body finds. */
export async function errorsOf({ api }: Shop, body: object): Promise<Finding[]> {
  const answer = await api.post('/v1/dpp/passports/validate', body)
  expect(answer.status, answer.text).to.equal(200)
  return bodyOf<Readiness>(answer).findings.filter(({ severity }) => severity === 'error')
}

export const toldOf = (errors: Finding[]) => errors.map(({ code, path }) => `${code} ${path}`)

/** A mutation with what was found: whether it is the place that was touched and no other, and whether ajv agrees. */
export interface Judged { what: string; path: string; code: string; found: string[]; named: boolean; agreed: boolean }

/**
 * What validating says of each mutation. Errors that the base has too are none of the mutation's. Convention: a missing
 * member is at the path that it would have, a surplus one at its own, a wrong word in a `type` at the list.
 */
export async function judgeAll(shop: Shop, base: object, all: readonly Mutation[]): Promise<Judged[]> {
  const validator = untpJudge(new URL('../../../core/features/dpp/untp/dpp-0.7.0.schema.json', import.meta.url))
  const always = new Set(toldOf(await errorsOf(shop, base)))
  const judged: Judged[] = []
  const judge = async ({ what, path, code, body }: Mutation) => {
    const errors = await errorsOf(shop, body)
    const own = errors.filter((one) => !always.has(`${one.code} ${one.path}`))
    const named = own.length > 0 && own.every((one) => one.path === path) && own.some((one) => one.code === code)
    const ofUntp = [...new Set(errors.filter((one) => one.code.startsWith('untp_')).map((one) => one.path))].sort()
    const agreed = JSON.stringify(ofUntp) === JSON.stringify(validator(body['product']))
    judged.push({ what, path, code, found: toldOf(errors), named, agreed })
  }
  const queue = all.values()
  await Promise.all(Array.from({ length: atOnce }, async () => { for (const one of queue) await judge(one) }))
  return judged
}
