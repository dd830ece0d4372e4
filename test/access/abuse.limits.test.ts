import { expect } from 'chai'
import { client } from '../support/client.ts'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { bodyOf, pathOf, told } from './operations.ts'

describe('Too many requests', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  before(async () => {
    own = await startPlatform({ env: { RATE_LIMIT_KEY_PER_MINUTE: '1', RATE_LIMIT_ADDRESS_PER_MINUTE: '1' } })
  })
  after(() => own.stop())

  for (const operation of told) {
    it(`${operation.id} answers 429 before it looks at anything else`, async () => {
      const callers = {
        'a key': client(own.apiKey, own.api),
        nobody: client({}, own.api),
        'a wrong key': client('tsr_test_nonsense', own.api),
      }
      for (const [name, caller] of Object.entries(callers)) {
        const ask = () => caller.send(operation.method, `${pathOf(operation)}?nonsense=1`, bodyOf(operation))
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
