import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { appendToTrail, endSegments, removeOldSegments, verifyTrail } from '../../../core/features/audit/index.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { platform } from '../../support/platform.ts'
import {
  changeEntry,
  insertCopy,
  listStoredTrail,
  readSegments,
  removeEntry,
  removeSegment,
  rewriteTrail,
  swapEntries,
} from '../../support/rows/audit/trail.ts'
import { buildMember, buildOrganization } from '../../support/world.ts'
import { createEmail, getOperator, getOwnClient, signInMember } from '../identity/people.ts'

describe('Audit trail: the chain', function () {
  this.timeout(120_000)
  let db: Knex
  before(async () => ({ db } = await getOperator()))

  const dayMs = 86_400_000
  const append = (organization: string, at: Date | null = null, label = 'anna@example.com') =>
    db.transaction((trx) =>
      appendToTrail(
        trx,
        [
          {
            organization,
            actor: { kind: 'member', id: v7(), label, address: '192.0.2.1', requestId: 'r' },
            action: 'api-key.create',
            target: { kind: 'api-key', id: v7(), label: 'Shop' },
          },
        ],
        at,
      ),
    )
  const verify = async (organization: string) => {
    const { checked, differences } = await verifyTrail(db, { organization })
    return { checked, found: differences.map(({ what, entry }) => [what, entry]) }
  }
  /** A chain of five entries in one month. */
  async function buildChain() {
    const organization = v7()
    for (let count = 0; count < 5; count++) await append(organization)
    const entries = await listStoredTrail(db, organization)
    const ids = entries.map(({ id }) => id)
    expect(await verify(organization)).to.deep.equal({ checked: 5, found: [] })
    return { organization, entries, ids }
  }

  it('is refused to be changed, shortened or emptied', async () => {
    const { organization } = await buildChain()
    for (const said of await rewriteTrail(db, organization))
      expect(said).to.match(/neither changed nor deleted|permission denied|^done$/)
    expect(await verify(organization)).to.deep.equal({ checked: 5, found: [] })
  })

  it('shows an entry that a superuser changed, also where the values stand beside the chain', async () => {
    const { organization, ids } = await buildChain()
    await changeEntry(db, ids[1]!, { action: 'api-key.revoke' })
    await changeEntry(db, ids[2]!, { actor_label: 'bob@example.com' })
    await changeEntry(db, ids[4]!, { hash: 'f'.repeat(64) })
    const { found } = await verify(organization)
    expect(found).to.deep.include.members([
      ['changed', ids[1]],
      ['changed', ids[2]],
      ['changed', ids[4]],
    ])
  })

  it('shows an entry that a superuser removed: the first, one in the middle, and the last', async () => {
    const [first, middle, last] = [await buildChain(), await buildChain(), await buildChain()]
    await removeEntry(db, first.ids[0]!)
    expect(await verify(first.organization)).to.deep.equal({ checked: 4, found: [['removed', first.ids[1]]] })
    await removeEntry(db, middle.ids[2]!)
    expect(await verify(middle.organization)).to.deep.equal({ checked: 4, found: [['removed', middle.ids[3]]] })
    await removeEntry(db, last.ids[4]!)
    expect(await verify(last.organization)).to.deep.equal({ checked: 4, found: [['removed', null]] })
  })

  it('shows an entry that a superuser inserted: in the middle, and at the end', async () => {
    const [middle, end] = [await buildChain(), await buildChain()]
    const [one, other] = [v7(), v7()]
    await insertCopy(db, middle.organization, { id: middle.ids[1]!, copy: one })
    expect((await verify(middle.organization)).found).to.deep.equal([
      ['changed', one],
      ['inserted', one],
    ])
    await insertCopy(db, end.organization, { id: end.ids[4]!, copy: other })
    expect((await verify(end.organization)).found).to.deep.equal([
      ['changed', other],
      ['inserted', other],
    ])
  })

  it('shows entries that a superuser reordered', async () => {
    const { organization, entries, ids } = await buildChain()
    await swapEntries(db, entries[1]!, entries[2]!)
    const { found } = await verify(organization)
    expect(found.map(([what]) => what)).to.deep.equal(['reordered', 'reordered', 'reordered'])
    expect(found.map(([, entry]) => entry)).to.include.members([ids[1], ids[2]])
  })

  it('goes on over the end of a month, and an ended month gets nothing more when a clock goes back', async () => {
    const organization = v7()
    await append(organization, new Date('2031-01-31T23:59:59.999Z'))
    await append(organization, new Date('2031-02-01T00:00:00Z'))
    await append(organization, new Date('2031-01-31T23:59:59Z'))
    await endSegments(db, new Date('2031-03-01T00:00:00Z'))
    await append(organization, new Date('2031-02-28T23:00:00Z'))
    const entries = await listStoredTrail(db, organization)
    expect(entries.map(({ month, place }) => [month, place])).to.deep.equal([
      ['2031-01', 1],
      ['2031-02', 1],
      ['2031-02', 2],
      ['2031-03', 1],
    ])
    expect(entries.map(({ previous }) => previous)).to.deep.equal([
      '0'.repeat(64),
      ...entries.slice(0, 3).map(({ hash }) => hash),
    ])
    expect(await readSegments(db, organization)).to.deep.include({ months: ['2031-01', '2031-02'] })
    expect(await verify(organization)).to.deep.equal({ checked: 4, found: [] })
    await removeSegment(db, organization, '2031-01')
    expect((await verify(organization)).found).to.deep.equal([['removed', null]])
  })

  it('stays one chain when 50 acts come at once', async () => {
    const organization = v7()
    await Promise.all(Array.from({ length: 50 }, () => append(organization)))
    expect((await listStoredTrail(db, organization)).map(({ place }) => place)).to.deep.equal(
      Array.from({ length: 50 }, (_, at) => at + 1),
    )
    expect(await verify(organization)).to.deep.equal({ checked: 50, found: [] })
  })

  it('loses whole months after 400 days, and begins with what the last of them ended with', async () => {
    const organization = v7()
    const ago = (days: number) => new Date(Date.now() - days * dayMs)
    for (const days of [500, 499, 460, 390, 0]) await append(organization, ago(days))
    const before = await listStoredTrail(db, organization)
    await endSegments(db)
    await removeOldSegments(db)
    const left = await listStoredTrail(db, organization)
    expect(left.map(({ id }) => id)).to.deep.equal(before.slice(-2).map(({ id }) => id))
    expect((await readSegments(db, organization)).base).to.equal(before.at(-3)?.hash)
    expect(await verify(organization)).to.deep.equal({ checked: 2, found: [] })
    for (const said of await rewriteTrail(db, organization)) expect(said).to.not.equal('done')
  })

  it('loses a person who is erased, and still verifies', async function () {
    // The command searches every table, for each person.
    this.timeout(240_000)
    const { organization, owner } = await buildOrganization()
    const email = await buildMember(organization, 'admin')
    const cookie = await signInMember(email, organization)
    const invited = createEmail('guest')
    const { post } = getOwnClient(cookie)
    await post(`/v1/organizations/${organization}/invitations`, { email: invited, role: 'viewer' })
    await signInMember(owner, organization)
    const erase = (person: string) => runAdmin(platform.dataDir, 'person', 'erase', person, '--json')
    expect((await erase(email)).code).to.equal(0)
    expect((await erase(invited)).code).to.equal(0)
    const entries = await listStoredTrail(db, organization)
    expect(JSON.stringify(entries)).to.not.contain(email).and.to.not.contain(invited)
    const [added, signIn, sent, ownerSignIn] = entries.slice(-4)
    expect(added).to.include({ action: 'member.add', actor_kind: 'operator', target_label: null })
    expect(added?.actor_label).to.match(/^operator /)
    for (const entry of [signIn, sent])
      expect(entry).to.include({ actor_id: null, actor_label: null, address: null, request_id: null, actor_salt: null })
    expect(ownerSignIn).to.include({ actor_label: owner })
    expect((await verify(organization)).found).to.deep.equal([])
    await changeEntry(db, signIn!.id, { actor_label: 'somebody@example.com' })
    expect((await verify(organization)).found).to.deep.equal([['changed', signIn?.id]])
  })
})

describe('admin audit verify', function () {
  this.timeout(120_000)
  const run = (...args: string[]) => runAdmin(platform.dataDir, 'audit', 'verify', ...args)

  it('answers what differs, with 1 as its exit code, and 0 where nothing does', async () => {
    const { db } = await getOperator()
    const { organization } = await buildOrganization()
    const good = await run('--organization', organization, '--json')
    expect([good.code, good.json], good.err).to.deep.equal([0, { checked: 2, differences: [] }])
    const [first] = await listStoredTrail(db, organization)
    await removeEntry(db, first!.id)
    const bad = await run('--organization', organization, '--json')
    const [second] = await listStoredTrail(db, organization)
    expect([bad.code, bad.json], bad.err).to.deep.equal([
      1,
      { checked: 1, differences: [{ what: 'removed', organization, month: second?.month, entry: second?.id }] },
    ])
    const all = await run('--json')
    expect([all.code, (all.json['differences'] as unknown as object[]).length > 0]).to.deep.equal([1, true])
    expect((await run('--organization', 'x')).code).to.equal(1)
  })
})
