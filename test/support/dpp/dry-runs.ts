import { expect } from 'chai'
import type { CertificationKey } from '../../../core/features/certification/index.ts'
import type { DryRun } from '../../../core/kernel/dry-run.ts'
import { getBody } from '../../core/dpp/passports/fixtures.ts'
import { getOperator } from '../../core/identity/people.ts'
import { countJobs } from '../rows/queue/job-counts.ts'
import type { Shop } from '../world.ts'

const paths = [
  '/v1/applications?pageSize=100',
  '/v1/dpp/products?pageSize=100',
  '/v1/dpp/passports?pageSize=100',
  '/v1/import/mappers?pageSize=100',
  '/v1/events?pageSize=100',
]

/**
 * What an organization can read of itself, and how many jobs it has. Of its keys only what a request changes: networks
 * register them on their own.
 */
async function readState({ api, organization }: Shop): Promise<Record<string, unknown>> {
  const { db } = await getOperator()
  const answers = await Promise.all(
    paths.map(async (path) => {
      const { status, body, text } = await api.get(path)
      expect(status, text).to.equal(200)
      return [path, body]
    }),
  )
  const keys = getBody<CertificationKey[]>(await api.get('/v1/dpp/certification-keys'))
  return {
    ...(Object.fromEntries(answers) as Record<string, unknown>),
    keys: keys.map(({ id, status }) => ({ id, status })),
    jobs: await countJobs(db, organization),
  }
}

/** Asks for a dry run, and checks that it stored nothing. @returns what the dry run told */
export async function rehearse(shop: Shop, method: 'post' | 'delete', path: string, body?: unknown): Promise<DryRun> {
  const before = await readState(shop)
  const answer = method === 'post' ? await shop.api.post(path, body) : await shop.api.delete(path)
  expect(answer.status, answer.text).to.equal(200)
  expect(await readState(shop)).to.deep.equal(before)
  return getBody<DryRun>(answer)
}
