import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, readText, type Visitor } from '../certification/forms.ts'
import { countThings, readCalls, startDemo, waitForEnd } from './scenes.ts'

describe('Console: demo environment, scenario passport', function () {
  this.timeout(240_000)
  let shop: Shop
  let owner: Visitor
  let run: string
  let earlier: Awaited<ReturnType<typeof countThings>>
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    earlier = await countThings(shop.api)
  })

  it('makes the demo call by call, and its checks pass', async () => {
    run = await startDemo(owner, { size: '2' })
    expect(run).to.match(/^\/console\/demo\/[0-9a-f-]{36}$/)
    const text = await waitForEnd(owner, run)
    const calls = readCalls(text)
    expect(calls.filter(({ result }) => result === 'not as expected')).to.deep.equal([])
    expect(readText({ text } as never)).to.contain('ready')
    const [first] = calls
    expect(first).to.include({ step: 'application', result: 'done' })
    expect(first?.call).to.equal('POST /v1/applications')
    expect(first?.answer).to.match(/^201 name: Demo \([0-9a-f]{8}\), id: [0-9a-f-]{36}$/)
    expect(calls.find(({ step }) => step === 'mint')?.call).to.match(/^POST \/v1\/dpp\/products\/[0-9a-f-]{36}\/mint$/)
    expect(calls.slice(-4).map(({ step, result }) => [step, result])).to.deep.equal([
      ['passports by reference', 'as expected'],
      ['no draft left', 'as expected'],
      ['certified and anchored', 'as expected'],
      ['tokens on chain', 'as expected'],
    ])
    expect(await countThings(shop.api)).to.deep.equal({
      ...earlier,
      applications: earlier.applications + 1,
      sheets: earlier.sheets + 2,
      passports: earlier.passports + 4,
    })
  })

  it('shows no secret: the link to claim is made, but neither shown nor kept', async () => {
    const { text } = await owner.open(run)
    expect(readCalls(text).find(({ step }) => step === 'claim link')?.call).to.contain('/magic-token')
    expect(text).not.to.contain('claim?token=')
  })

  it('makes nothing new when the plan is run again', async () => {
    const counts = await countThings(shop.api)
    expect((await owner.submit(`${run}/prepare`)).status).to.equal(303)
    const calls = readCalls(await waitForEnd(owner, run))
    const made = calls.filter(({ result }) => result === 'done').map(({ step }) => step)
    expect(made).to.deep.equal(['claim link'])
    expect(calls.filter(({ result }) => result === 'was done already')).to.have.length(9)
    expect(await countThings(shop.api)).to.deep.equal(counts)
  })

  it('takes away what it made and only that, and says what stays on the chain', async () => {
    expect(readText(await owner.open(`${run}/remove`))).to.contain('What will happen')
    expect((await owner.submit(`${run}/remove`)).headers['location']).to.equal(run)
    const text = await waitForEnd(owner, run)
    expect(readText({ text } as never)).to.contain('taken away')
    expect(readCalls(text).filter(({ result }) => result === 'not as expected')).to.deep.equal([])
    const stays = /<ul lang="en">(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
    expect(stays).to.contain('2 minted passports, archived').and.to.contain('The token contract')
    const after = await countThings(shop.api)
    expect(after).to.include({ applications: earlier.applications + 1, passports: earlier.passports + 2 })
    expect(text).not.to.contain('Run the plan again')
    expect((await owner.submit(`${run}/prepare`)).status).to.equal(422)
  })

  it('is not there for another organization, nor for a member whose role does not suffice', async () => {
    const other = await buildShop()
    const stranger = createVisitor(await signInMember(other.owner, other.organization))
    for (const path of [run, `${run}/remove`]) expect((await stranger.open(path)).status, path).to.equal(404)
    for (const path of [`${run}/prepare`, `${run}/remove`])
      expect((await stranger.submit(path)).status, path).to.equal(404)
    for (const role of ['editor', 'viewer'] as const) {
      const member = createVisitor(await signInMember(await buildMember(shop.organization, role), shop.organization))
      for (const path of ['/console/demo', run, `${run}/remove`])
        expect((await member.open(path)).status, `${role} ${path}`).to.equal(403)
      for (const path of ['/console/demo', `${run}/prepare`, `${run}/remove`]) {
        const fields = path === '/console/demo' ? { scenario: 'full', application: '', size: '1', network: 'x' } : {}
        expect((await member.submit(path, fields)).status, `${role} ${path}`).to.equal(403)
      }
      for (const path of ['/console', '/console/assistant'])
        expect((await member.open(path)).text, `${role} ${path}`).not.to.contain('/console/demo')
    }
    expect((await owner.open('/console/assistant')).text).to.contain('href="/console/demo"')
  })
})
