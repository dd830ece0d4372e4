import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { CertificationKey } from '../../../../core/features/certification/index.ts'
import type { Client } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'

export interface Rotation {
  key: CertificationKey
  queuedJobs: number
}

const path = '/v1/dpp/certification-key'

export async function readActiveKey(api: Client): Promise<CertificationKey> {
  const answer = await api.get(path)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<CertificationKey>(answer)
}

/** All keys, the newest first. */
export const listKeys = async (api: Client) => getBody<CertificationKey[]>(await api.get('/v1/dpp/certification-keys'))

export async function readRotation(api: Client): Promise<Rotation> {
  const answer = await api.post(`${path}/rotate`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<Rotation>(answer)
}

export const rotateKey = (api: Client) => api.post(`${path}/rotate`)
export const revokeKey = (api: Client, id: string, body: object = { reason: 'lost' }) =>
  api.post(`/v1/dpp/certification-keys/${id}/revoke`, body)

/** Asks until the answer is so; at most 30 s. */
export async function waitUntilAnswer<T>(ask: () => Promise<T>, so: (answer: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 30_000; ;) {
    const answer = await ask()
    if (so(answer)) return answer
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)}`)
    await sleep(50)
  }
}

/** The key encryption key of the shared platform. */
export const readPlatformSecret = () => {
  const secrets = JSON.parse(readFileSync(join(platform.dataDir, 'secrets.json'), 'utf8')) as Record<string, string>
  return String(secrets['KEY_ENCRYPTION_KEY'])
}
