import { expect } from 'chai'
import { createApiClient } from '../support/client.ts'
import { startPlatform, type OwnPlatform } from '../support/own-platform.ts'
import { createMinimalBody, createOperationPath, documentOperations } from './operations.ts'

describe('Rate limit of every operation', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  before(async () => {
    own = await startPlatform({ env: { RATE_LIMIT_KEY_PER_MINUTE: '1', RATE_LIMIT_ADDRESS_PER_MINUTE: '1' } })
  })
  after(() => own.stop())

  for (const operation of documentOperations) {
    it(`answers 429 before any other check: ${operation.id}`, async () => {
      const callers = {
        'a key': createApiClient(own.apiKey, own.api),
        nobody: createApiClient({}, own.api),
        'a wrong key': createApiClient('tsr_test_nonsense', own.api),
      }
      for (const [name, caller] of Object.entries(callers)) {
        const ask = () =>
          caller.send(operation.method, `${createOperationPath(operation)}?nonsense=1`, createMinimalBody(operation))
        const first = await ask()
        // The one request of a minute may just have been this one.
        const { status, body, headers } = first.status === 429 ? first : await ask()
        expect([status, body['code']], name).to.deep.equal([429, 'RATE_LIMITED'])
        expect(Number(headers['retry-after'])).to.be.within(1, 60)
        expect(headers['ratelimit-policy']).to.equal('"default";q=1;w=60')
        expect(headers['ratelimit']).to.match(/^"default";r=0;t=\d+$/)
      }
    })
  }
})
