import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { getOwnClient, signInMember } from '../../core/identity/people.ts'
import { buildKey, buildMember, buildShop, type Shop } from '../../support/world.ts'

describe('Console: files of members and keys', () => {
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  const download = async (path: string, by = cookie) => {
    const answer = await getOwnClient(by).get(path)
    expect(answer.headers['content-type']).to.contain('text/csv')
    return { text: answer.text, rows: parse(answer.text, { columns: true }) as Record<string, string>[] }
  }

  it('have all members with their roles, the oldest first', async () => {
    const editor = await buildMember(shop.organization, 'editor')
    const { rows } = await download('/console/members.csv')
    expect(rows.map(({ email, role }) => [email, role])).to.deep.equal([
      [shop.owner, 'owner'],
      [editor, 'editor'],
    ])
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    expect((await getOwnClient(viewer).get('/console/members.csv')).status).to.equal(403)
    expect((await getOwnClient(cookie).get('/console/members')).text).to.contain('href="/console/members.csv"')
  })

  it('have all keys with their permissions and without their secrets, the newest first', async () => {
    for (let count = 0; count < 110; count++)
      await buildKey(shop.organization, { dpp: ['read'] }, { expiresAt: new Date('2099-01-01') })
    const { key } = await buildKey(shop.organization, { loyalty: ['read', 'create'], dpp: ['read'] })
    const { rows, text } = await download('/console/keys.csv')
    expect(rows).to.have.length(112)
    expect(rows[0]).to.deep.include({
      name: 'Test',
      last_four: key.slice(-4),
      permissions: 'dpp:read loyalty:read loyalty:create',
      status: 'active',
      expires_at: '',
    })
    expect(rows[1]?.['expires_at']).to.equal('2099-01-01T00:00:00.000Z')
    expect(text).to.not.contain(key.slice(9, 30))
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    expect((await getOwnClient(editor).get('/console/keys.csv')).status).to.equal(403)
    expect((await getOwnClient(cookie).get('/console/keys')).text).to.contain('href="/console/keys.csv"')
  })
})
