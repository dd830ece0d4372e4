import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { startSecondServer } from '../../support/network/second-server.ts'

/** Their lines are several times what a pipe takes that nobody reads. */
const requests = 3_000
const entry = join(import.meta.dirname, '../../support/children/log.ts')

describe('core/log', function () {
  this.timeout(120_000)

  it('keeps nobody waiting whose lines are not read, and loses none of them', async () => {
    const second = await startSecondServer(
      platform,
      { LOG_LEVEL: 'info', RATE_LIMIT_KEY_PER_MINUTE: '0' },
      { isRead: false },
    )
    try {
      const api = createApiClient(platform.apiKey, second.api)
      const ids: string[] = []
      for (let from = 0; from < requests; from += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/applications/none')))
        for (const { status, headers } of answers) {
          expect(status).to.equal(400)
          ids.push(String(headers['x-request-id']))
        }
      }
      second.read()
      await waitUntil(
        'every request has its line',
        () => {
          const requestIds = new Set(second.lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId))
          return ids.every((id) => requestIds.has(id))
        },
        60_000,
      )
    } finally {
      second.kill()
    }
  })

  it('tells its last line although a slow reader had those before it still to take, and none comes after', async () => {
    const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    try {
      await once(child, 'message')
      const receivedMessages: unknown[] = []
      if (child.stdout)
        createInterface({ input: child.stdout }).on('line', (line) =>
          receivedMessages.push((JSON.parse(line) as { msg: string }).msg),
        )
      await waitUntil('both lines are there', () => receivedMessages.length === 2)
      expect(receivedMessages).to.deep.equal(['first', 'last'])
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('tells what is asked that no route has, by its path and 404, without what may be a secret', async () => {
    const second = await startSecondServer(platform, { LOG_LEVEL: 'info' })
    try {
      const api = createApiClient(platform.apiKey, second.api)
      await api.get('/v1/pasports?token=canary-in-a-query', { skipsDocumentCheck: true })
      await api.get('/v1/claims/canarySessionTokenOf32Characters', { skipsDocumentCheck: true })
      const lines = () =>
        second.lines.flatMap((line) => (line.includes('"path"') ? [JSON.parse(line) as Record<string, unknown>] : []))
      await waitUntil('both are told', () => lines().length === 2)
      expect(lines().map(({ method, path, status }) => [method, path, status])).to.deep.equal([
        ['GET', '/v1/pasports', 404],
        ['GET', '/v1/claims/…', 404],
      ])
      expect(second.lines.join()).to.not.contain('canary')
    } finally {
      second.kill()
    }
  })
})
