import { expect } from 'chai'
import { forgetScans, recordScan } from '../../../../core/features/dpp/index.ts'
import { ageScans, countScans, readScanText } from '../../../support/rows/dpp/scans.ts'
import { getOperator } from '../../identity/people.ts'
import { listEventTypes } from '../passports/fixtures.ts'
import { buildPublishedPassport, buildSheet, buildShop } from '../../../support/world.ts'

describe('Scans of passports', () => {
  it('leave one event an address and passport in 30 s, and no address', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    const [first, second] = [await buildPublishedPassport(shop, sheet), await buildPublishedPassport(shop, sheet)]
    const { db, settings } = await getOperator()
    const context = { db, settings: { ...settings, sessionSecret: 'a secret of this test' } }
    const scan = (passport: unknown, address: string) => recordScan(context, String(passport), address)

    const written = await Promise.all(Array.from({ length: 10 }, () => scan(first.id, '192.0.2.1')))
    expect(written.filter(Boolean)).to.have.length(1)
    expect(await scan(first.id, '2001:db8::1')).to.equal(true)
    expect(await scan(second.id, '192.0.2.1')).to.equal(true)
    expect(await listEventTypes(shop, String(first.id))).to.deep.equal(['create', 'publish', 'scan', 'scan'])

    await ageScans(db)
    expect(await scan(first.id, '192.0.2.1')).to.equal(true)
    await ageScans(db, 1_801)
    await forgetScans(db)
    expect(await countScans(db)).to.equal(0)
    expect(await scan(first.id, '192.0.2.1')).to.equal(true)
    expect(await listEventTypes(shop, String(first.id))).to.have.length(6)
    expect(await readScanText(db)).to.not.include('192.0.2.1')
  })
})
