import { expect } from 'chai'
import { appendToTrail, type NewTrailEntry } from '../../../core/features/audit/index.ts'
import { getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

describeInBrowser('Console: audit trail', function () {
  this.timeout(120_000)
  let tenant: Tenant
  let cookie: string
  const key = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'

  before(async () => {
    tenant = await buildOrganization()
    const { db } = await getOperator()
    const actor = { kind: 'member', id: key, label: 'anna@example.com', address: '192.0.2.1', requestId: 'r1' } as const
    const entry = (action: NewTrailEntry['action'], label: string): NewTrailEntry => ({
      ...{ organization: tenant.organization, actor, action },
      target: { kind: 'api-key', id: key, label },
    })
    // A day in Rome ends at 22:00 UTC in summer.
    const entries = [
      [entry('api-key.create', '=Last of June'), '2031-06-30T21:59:59Z'],
      [entry('api-key.revoke', 'First of July'), '2031-06-30T22:00:00Z'],
    ] as const
    for (const [one, at] of entries) await db.transaction((trx) => appendToTrail(trx, [one], new Date(at)))
    for (let count = 0; count < 25; count++)
      await db.transaction((trx) =>
        appendToTrail(trx, [entry('api-key.rotate', `Key ${count}`)], new Date('2031-08-01')),
      )
    cookie = await signInMember(tenant.owner, tenant.organization)
    const patched = await getOwnClient(cookie).patch(`/v1/organizations/${tenant.organization}`, {
      timeZone: 'Europe/Rome',
    })
    expect(patched.status, patched.text).to.equal(200)
  })

  const get = async (query: string, as = cookie, path = '/console/audit') => {
    const answer = await fetch(`${platform.api}${path}${query}`, { headers: { cookie: as }, redirect: 'manual' })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }

  it('is a page and a file, both with the filters of the address, and days of the time zone of the organization', async () => {
    const june = await get('?from=2031-06-30&to=2031-06-30&action=&actor=ANNA')
    expect(june.status).to.equal(200)
    expect(june.text).to.contain('Last of June').and.to.not.contain('First of July')
    expect(june.text).to.contain('title="2031-06-30 21:59:59 UTC">Jun 30, 2031, 11:59:59')
    const july = await get('?from=2031-07-01&to=2031-07-31')
    expect(july.text).to.contain('First of July').and.to.not.contain('Last of June')
    expect((await get('?action=api-key.revoke&actor=nobody')).text).to.contain('Nothing fits.')
    const file = await get('?actor=anna', cookie, '/console/audit.csv')
    expect(file.headers.get('content-disposition')).to.equal('attachment; filename="audit.csv"')
    const [head, first, ...lines] = file.text.trim().split('\r\n')
    expect(head).to.equal('at,actor_kind,actor_id,actor,action,change,target_kind,target_id,target,address,request_id')
    expect(first).to.match(/^2031-08-01T00:00:00\.000Z,member,/)
    expect(lines.at(-1)).to.equal(
      `2031-06-30T21:59:59.000Z,member,${key},anna@example.com,api-key.create,,api-key,${key},'=Last of June,192.0.2.1,r1`,
    )
    expect(lines).to.have.length(26)
    expect((await get('?from=2031-02-30')).status).to.equal(422)
    expect((await get('?action=fly')).status).to.equal(400)
  })

  it('is for owners and administrators, and for those of its organization', async () => {
    const admin = await signInMember(await buildMember(tenant.organization, 'admin'), tenant.organization)
    expect((await get('', admin)).status).to.equal(200)
    const editor = await signInMember(await buildMember(tenant.organization, 'editor'), tenant.organization)
    for (const path of ['/console/audit', '/console/audit.csv'])
      expect((await get('', editor, path)).status).to.equal(403)
    expect((await get('', editor, '/console/imports')).text).to.not.contain('/console/audit')
    const other = await buildOrganization()
    const stranger = await signInMember(other.owner, other.organization)
    expect((await get('', stranger)).text)
      .to.contain('Organization created')
      .and.to.not.contain('anna@example.com')
    expect((await get('', 'x=y')).status).to.equal(303)
  })

  it('is walked with the keyboard, page by page, and has no fault that axe finds', async () => {
    const browser = await openBrowser()
    try {
      const page = await (await openWindow(browser, { cookie })).newPage()
      await goTo(page, `${consoleAddress}/members`)
      await follow(page.getByRole('link', { name: 'Audit trail', exact: true }))
      const rows = page.getByRole('region', { name: 'Audit trail' }).locator('tbody tr')
      expect(await rows.count()).to.equal(25)
      await follow(page.getByRole('link', { name: 'Next page' }))
      expect(await rows.first().innerText()).to.contain('First of July')
      expect(await rows.last().innerText()).to.contain('Organization created')
      await follow(page.getByRole('link', { name: 'First page' }))
      await tabTo(page, '#action')
      await page.getByLabel('What was done').selectOption('session.sign-in')
      await tabTo(page, '#actor')
      await page.keyboard.type(tenant.owner.slice(0, 5))
      await page.keyboard.press('Enter')
      await page.waitForURL(/action=session\.sign-in/)
      expect(await rows.count()).to.equal(1)
      expect(await rows.first().innerText())
        .to.contain('Signed in')
        .and.to.contain(tenant.owner)
      for (const look of looks.slice(0, 2)) {
        await inspectPages(browser, { cookie, look }, ['/console/audit?from=2031-06-01']).catch((cause: unknown) => {
          throw new Error(formatLook(look), { cause })
        })
      }
    } finally {
      await browser.close()
    }
  })
})
