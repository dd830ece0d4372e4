import { expect } from 'chai'
import { readDoorPort } from './settings.ts'

describe('npm run door: VC_API_TEST_PORT', () => {
  const refusal = 'VC_API_TEST_PORT is not allowed in production: whoever reaches it has credentials signed'

  it('is 4000 where nothing is said, and else a TCP port', () => {
    expect(readDoorPort({ NODE_ENV: 'development' })).to.equal(4000)
    expect(readDoorPort({ NODE_ENV: 'test', VC_API_TEST_PORT: '4711' })).to.equal(4711)
    for (const wrong of ['70000', '0', '1.5', 'NaN'])
      expect(() => readDoorPort({ NODE_ENV: 'test', VC_API_TEST_PORT: wrong }), wrong)
        .to.throw('VC_API_TEST_PORT')
        .property('message')
        .that.does.not.include(wrong)
  })

  it('is refused in production, and on a configured database that is not said to be another', () => {
    expect(() => readDoorPort({ NODE_ENV: 'production', VC_API_TEST_PORT: '4000' })).to.throw(refusal)
    const database = { DATABASE_URL: 'postgres://user@127.0.0.1/other', VC_API_TEST_PORT: '4000' }
    expect(() => readDoorPort(database)).to.throw(refusal)
    expect(readDoorPort({ ...database, NODE_ENV: 'test' })).to.equal(4000)
  })
})
