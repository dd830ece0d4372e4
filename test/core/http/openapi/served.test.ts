import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { request } from 'undici'
import { platform } from '../../../support/platform.ts'

const committed = readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8')

describe('GET /openapi.json', () => {
  it('is served by the running server as it is committed', async () => {
    const answer = await request(`${platform.api}/openapi.json`)
    expect(await answer.body.text()).to.equal(committed)
    expect(answer.headers['cache-control']).to.equal('public, max-age=60')
    const again = await request(`${platform.api}/openapi.json`, {
      headers: { 'if-none-match': String(answer.headers['etag']) },
    })
    expect(again.statusCode).to.equal(304)
  })
})
